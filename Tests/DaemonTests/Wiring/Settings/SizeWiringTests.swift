// SPDX-License-Identifier: Apache-2.0

import Daemon
import HTTPServer
@testable import Settings
import SettingsSupport
import Testing

@Suite("What the settings' sizes come to")
struct SizeWiringTests: SettingsSuite {
    @Test(
        arguments: [
            (["--cache-held-disk", "127MiB"], 2), (["--cache-held-disk", "128MiB"], 0),
            (["--cache-held-disk", "128MiB", "--origin-maximum-body", "65MiB"], 1),
            (["--cache-held-disk", "128MiB", "--decoder-maximum-output", "65MiB"], 1),
            (["--origin-maximum-body", "10TiB", "--decoder-maximum-output", "20TiB"], 0),
        ] as [([String], Int)])
    func `what is allowed has room beside the cache`(flags: [String], mistakes: Int) throws {
        let settings = try load(flags: flags)
        #expect(settings.contradictions.count == mistakes, "\(settings.contradictions)")
        #expect(settings.contradictions.allSatisfy { $0.hasPrefix("cache.held-disk is less than twice ") })
        let largest = max(settings.origin.maximumBody, settings.decoder.maximumOutput).bytes
        #expect((settings.heldOnDisk / 2 >= largest) == (mistakes == 0))
    }

    @Test func `what is allowed adds up`() throws {
        var settings = Settings()
        for (key, text) in [
            ("server.send-rate", "1048576TiB"), ("server.send-timeout", "3650d"),
            ("cache.disk", "1048576TiB"),
        ] {
            let setting = try #require(Setting.table.first { $0.key == key })
            #expect(setting.read(text, &settings), "\(key)")
        }
        #expect(try settings.publicServerConfiguration.progressBytes == .max / 1_000)
        _ = settings.diskConfiguration
    }
}
