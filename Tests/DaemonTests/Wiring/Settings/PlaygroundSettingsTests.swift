// SPDX-License-Identifier: Apache-2.0

import Daemon
import HTTPServer
import Settings
import Testing

@Suite("Where the playground is on") struct PlaygroundSettingsTests {
    private func isOn(_ addresses: [String], _ mode: PlaygroundMode = .auto) -> Bool {
        var settings = Settings()
        settings.playground.enabled = mode
        return settings.hasPlayground(on: addresses.compactMap { ListenAddress(text: $0) })
    }

    @Test(arguments: ["127.0.0.1:80", "127.9.9.9:80", "[::1]:80", "localhost:80", "[::ffff:127.0.0.1]:80"])
    func `by itself on a loopback address`(address: String) {
        #expect(isOn([address]))
        #expect(!isOn([address], .off))
    }

    @Test(arguments: [
        "0.0.0.0:80", ":80", "[::]:80", "10.0.0.1:80", "128.0.0.1:80", "[::2]:80", "[fe80::1]:80",
        "unix:/run/p", "localhost.example:80",
    ])
    func `not by itself on another`(address: String) {
        #expect(!isOn([address]))
        #expect(!isOn(["127.0.0.1:80", address]))
        #expect(isOn([address], .on))
    }

    @Test func `not by itself on sockets from elsewhere, or on none`() {
        #expect(!Settings().hasPlayground(on: [.inherited(descriptor: 3)]))
        #expect(!isOn([]))
    }

    @Test func `its words`() {
        #expect(PlaygroundMode(settingText: "Auto") == .auto)
        #expect(PlaygroundMode(settingText: "yes") == .on)
        #expect(PlaygroundMode(settingText: "0") == .off)
        #expect(PlaygroundMode(settingText: "maybe") == nil)
        for mode in PlaygroundMode.allCases { #expect(PlaygroundMode(settingText: mode.settingText) == mode) }
    }
}
