// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Settings

@Suite("A change of settings is split into what is live and what waits for a restart")
struct SettingsChangeTests {
    @Test func `each setting is compared and copied by itself`() {
        for setting in Setting.table {
            var new = Settings()
            // Nearly every setting accepts one of these texts as another value.
            let texts = [
                "true", "false", "7", "0.25", "7s", "1MiB", "3/7s", "a.test", "10.0.0.0/8", "w1=w=9",
            ]
            guard texts.contains(where: { setting.read($0, &new) && setting.differs(Settings(), new) }) else {
                continue
            }
            let change = SettingsChange(from: Settings(), to: new)
            #expect(change.live + change.atRestart.map(\.key) == [setting.key])
            #expect((change.settings == new) == (setting.life == .live), "\(setting.key)")
        }
    }

    @Test func `a live setting waits with the one that it goes with`() throws {
        var new = Settings()
        new.traces.endpoint = "http://127.0.0.1:4318"
        new.traces.parent = true
        new.traces.origins = ["a.test"]
        new.decoder.formats.append("svg")
        new.output.svg = true
        new.cache.maximumRefreshes = 7
        let change = try SettingsChange.consistent(from: Settings(), to: new, mistakes: \.contradictions)
        #expect(change.live == ["cache.maximum-refreshes"])
        let waiting = Dictionary(uniqueKeysWithValues: change.atRestart.map { ($0.key, $0.reason) })
        #expect(waiting["traces.endpoint"] == .exporter && waiting["decoder.formats"] == .processes)
        for key in ["traces.parent", "traces.origins", "encoder.svg"] {
            #expect(waiting[key] == .company, "\(key)")
        }
        #expect(change.settings.contradictions.isEmpty && !change.settings.traces.parent)
        // The change back: the live settings follow the old value.
        let back = try SettingsChange.consistent(from: new, to: Settings(), mistakes: \.contradictions)
        #expect(back.live.contains("traces.parent") && back.settings.contradictions.isEmpty)
    }

    @Test func `a mistake that nothing can wait for is thrown`() {
        var new = Settings()
        new.cache.maximumRefreshes = 7
        #expect(throws: UnusableSetting.self) {
            try SettingsChange.consistent(from: Settings(), to: new) { _ in ["cache.memory is odd"] }
        }
    }

    @Test func `nothing new is no change`() {
        let change = SettingsChange(from: Settings(), to: Settings())
        #expect(change.live.isEmpty && change.atRestart.isEmpty && change.settings == Settings())
    }
}
