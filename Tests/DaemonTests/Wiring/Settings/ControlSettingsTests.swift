// SPDX-License-Identifier: Apache-2.0

import Daemon
@testable import Endpoints
import HTTPCaching
import HTTPSemantics
@testable import Settings
import Testing

@Suite("Clients' lifetimes as a setting")
struct ClientLifetimeRulesTests {
    @Test func `rules are printed as they are written`() {
        let text = "*.example.com=1h, img.example.org=10m..1d, b=..1d, c=10m.."
        #expect(ClientLifetimeRules(settingText: text)?.settingText == text)
        #expect(
            ClientLifetimeRules(settingText: "B\u{fc}cher.EXAMPLE = 60s")?.settingText
                == "xn--bcher-kva.example=1m")
        #expect(ClientLifetimeRules(settingText: "[2001:db8::80]=1h")?.list.count == 1)
        #expect(ClientLifetimeRules(settingText: "")?.list.isEmpty == true)
    }

    @Test(arguments: [
        "a.example", "a.example=", "a.example=..", "a.example=2h..1h", "a b=1h", "a.example/x=1h",
        "a.*.example=1h",
        "*=1h", "=1h", "a.example:8080=1h", "a.example:80=1h", "a.example=1h..2", "u@a.example=1h",
    ])
    func `what makes no sense is refused`(text: String) {
        #expect(ClientLifetimeRules(settingText: text) == nil)
    }

    @Test func `a bound that is not given is the usual one, unless the other contradicts it`() throws {
        let rules = try #require(ClientLifetimeRules(settingText: "a=10s.., b=..5s, c=90s.., d=7s"))
        let usual = ClientPolicy(minimumLifetime: 6, maximumLifetime: 60)
        let policies = rules.list.map { $0.rule(usual: usual).policy }
        let expected = [(10, 60), (5, 5), (90, 90), (7, 7)].map {
            ClientPolicy(minimumLifetime: $0.0, maximumLifetime: $0.1)
        }
        #expect(policies == expected)
    }

    @Test func `bounds that contradict each other are refused`() throws {
        let settings = try SettingsLoader.load(
            flags: ["--cache-client-minimum-lifetime=2h", "--cache-client-maximum-lifetime=1h"],
            environment: [:],
            file: nil)
        #expect(throws: UnusableSetting.self) { try settings.mustBeUsable() }
    }
}

@Suite("The admin token")
struct AdminTokenTests {
    private static let text = "correct-horse-battery+/=="

    @Test(arguments: [
        ("Bearer \(text)", true), ("bearer   \(text)  ", true), ("Bearer \(text)=", false),
        ("Bearer \(text.dropLast())", false), ("Bearer", false), ("Bearer ", false), ("", false),
        ("Basic \(text)", false), (text, false), ("Bearer\(text)", false), ("Bearer x \(text)", false),
        ("Bearer CORRECT-horse-battery+/==", false),
    ])
    func `only the whole token counts`(field: String, isTrusted: Bool) throws {
        let secret = try #require(Secret(settingText: " \(Self.text)\n"))
        let token = try #require(AdminToken(secret))
        #expect(token.isCarried(by: Fields([.init("Authorization", field)])) == isTrusted)
        let twice = Fields([.init("Authorization", field), .init("authorization", field)])
        #expect(!token.isCarried(by: twice))
    }

    @Test(arguments: ["short", "with spaces inside it", "quotes\"quotes\"quotes", "ünïcödeünïcödeünïcöde"])
    func `what is no token is refused`(text: String) { #expect(Secret(settingText: text) == nil) }

    @Test func `it says nothing of itself`() throws {
        let secret = try #require(Secret(settingText: Self.text))
        #expect("\(secret)" == "set" && secret.settingText.isEmpty)
        #expect("\(Secret.none)" == "not set")
        #expect(AdminToken(.none) == nil)
    }
}
