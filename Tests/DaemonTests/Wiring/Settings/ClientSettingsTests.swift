// SPDX-License-Identifier: Apache-2.0

import Clients
import Daemon
import HTTP1
import HTTPSemantics
@testable import Settings
import Testing

@Suite("How often a client may ask is a setting")
struct ClientSettingsTests {
    @Test(arguments: [
        ("100/10s", 100, 10_000_000, "100/10s"), ("1/1d", 1, 86_400_000_000, "1/1d"),
        ("1000000/1s", 1_000_000, 1_000_000, "1000000/1s"), ("60/1m", 60, 60_000_000, "60/1m"),
        ("5/500ms", 5, 500_000, "5/500ms"),
    ])
    func `a rate is a number and a time`(text: String, count: Int, period: Int64, spelled: String) throws {
        let setting = try #require(ClientRate(settingText: text))
        #expect(setting.rate == Rate(count: count, period: period))
        #expect(setting.settingText == spelled)
    }

    @Test func `or off`() {
        #expect(ClientRate(settingText: "off") == .off)
        #expect(ClientRate.off.settingText == "off")
        #expect(Settings().limits.requestsPerClient == .off)
        #expect(Settings().limits.missesPerClient == .off)
        #expect(Settings().limits.connectionsPerClient == 0)
    }

    @Test(arguments: [
        "", "10", "10/", "/10s", "0/1s", "-1/1s", "10/0s", "10/2d", "10/s", "10/10", "1/1/1s", "1000001/1s",
        "2000/1ms", "ten/10s", "OFF ",
    ])
    func `anything else is not`(text: String) {
        #expect(ClientRate(settingText: text) == nil)
    }

    @Test func `whom nobody is trusted to name, nobody can name`() throws {
        var settings = Settings()
        settings.server.clientField = .forwarded
        #expect(throws: UnusableSetting.self) { try settings.clientRule }
        settings.server.trustedProxies = ["10.0.0.0/8", "unix"]
        #expect(try settings.clientRule.field == .forwarded)
        #expect(try settings.clientRule.proxies.contains(nil))
        settings.server.trustedProxies = ["10.0.0.0/7x"]
        #expect(throws: UnusableSetting.self) { try settings.clientRule }
    }

    @Test func `an endpoint with a key in it is refused, and its key not told`() {
        var settings = Settings()
        settings.s3.buckets = ["media"]
        settings.s3.access.endpoint = "https://key:of-ours@store.example"
        settings.sharedStore.bucket = "media"
        settings.sharedStore.access.endpoint = "https://key:of-ours@store.example"
        let mistakes = settings.mistakes
        for key in ["s3.endpoint", "shared-store.endpoint"] {
            #expect(mistakes.contains { $0.hasPrefix("\(key) is no URL such as ") }, "\(mistakes)")
        }
        #expect(mistakes.allSatisfy { !$0.contains("of-ours") })
    }

    @Test func `a network and a port are told with what is wrong about them`() {
        var settings = Settings()
        settings.server.trustedProxies = ["10.0.0.1/8"]
        settings.origin.denyNetworks = ["10.0.0.1/8"]
        settings.origin.ports = ["80", "0-80", "443", "https"]
        let mistakes = settings.mistakes
        for words in [
            "server.trusted-proxies: \"10.0.0.1/8\" is neither unix nor a network such as 10.1.0.0/16: it has host bits set",
            "origin.deny-networks: \"10.0.0.1/8\" is no network such as 10.1.0.0/16: it has host bits set",
            "origin.ports: \"0-80\" is no port or range such as 80 or 1024-65535",
            "origin.ports: \"https\" is no port or range such as 80 or 1024-65535",
        ] {
            #expect(mistakes.contains(words), "\(mistakes)")
        }
    }
}
