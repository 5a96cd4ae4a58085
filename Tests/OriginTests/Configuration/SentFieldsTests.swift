// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
import SourceURLs
import Testing

@testable import Origin

@Suite("The fields that origins get, as far as they choose their answers by it")
struct SentFieldsTests {
    private func profile(_ name: String, _ place: String, _ fields: [String: String]) throws -> OriginProfile
    {
        var profile = OriginProfile(name, at: [try #require(OriginProfile.Place(place))])
        profile.fields = fields.sorted { $0.key < $1.key }.map { Fields.Field($0.key, $0.value) }
        return profile
    }

    private func sent(_ profiles: OriginProfile...) -> SentFields {
        var configuration = OriginConfiguration()
        configuration.profiles = profiles
        return configuration.sentFields()
    }

    private let shop = SourceURL(scheme: .https, host: "shop.example", port: 443, target: "/a")
    private let other = SourceURL(scheme: .https, host: "other.example", port: 443, target: "/a")

    @Test func `is what every request says, and for a profile's origins what it says instead`() throws {
        let sent = sent(try profile("shop", "shop.example", ["User-Agent": "Shop", "X-Key": "secret"]))
        #expect(sent.directly(other) == OriginConfiguration().requestFields)
        let fields = sent.directly(shop)
        #expect(fields["Accept"] == OriginConfiguration().accept && fields.values("user-agent").count == 1)
        for name in ["User-Agent", "X-Key"] {
            #expect(fields[name]?.wholeMatch(of: /[0-9a-f]{64}/) != nil, "\(fields[name] ?? "")")
        }
    }

    @Test func `changes with a value, and with no other profile's`() throws {
        let shops = try ["a", "b"].map { try profile("shop", "shop.example", ["X-Key": $0]) }
        let others = try ["a", "b"].map { try profile("other", "other.example", ["X-Key": $0]) }
        #expect(sent(shops[0]).directly(shop) != sent(shops[1]).directly(shop))
        #expect(sent(shops[0], others[0]).directly(shop) == sent(shops[0], others[1]).directly(shop))
    }

    @Test func `tells of redirects by which rules they were followed`() throws {
        func sent(_ change: (inout SourcePolicy) -> Void) -> SentFields {
            var configuration = OriginConfiguration()
            change(&configuration.policy)
            return configuration.sentFields()
        }
        func hosts(_ texts: String...) -> [HostPattern] { texts.compactMap { HostPattern($0) } }
        func urls(_ texts: String...) -> [URLPrefix] { texts.compactMap { URLPrefix($0) } }
        func networks(_ texts: String...) -> [AddressBlock] { texts.compactMap { AddressBlock($0) } }
        var all = [sent { _ in }]
        all.append(sent { $0.deniedHosts = hosts("a.example", "b.example") })
        all.append(sent { $0.allowedHosts = hosts("a.example", "b.example") })
        all.append(sent { $0.allowedHosts = hosts("*.a.example", "b.example") })
        all.append(sent { $0.allowedURLs = urls("https://a.example/x/") })
        all.append(sent { $0.deniedURLs = urls("https://a.example/x/") })
        all.append(sent { $0.deniedURLs = urls("//a.example/x/") })
        all.append(sent { $0.addresses.allowsPrivate = true })
        all.append(sent { $0.addresses.allowed = networks("10.0.0.0/8") })
        all.append(sent { $0.addresses.denied = networks("10.0.0.0/8") })
        all.append(sent { $0.addresses.denied = networks("10.0.0.0/9") })
        all.append(sent { $0.addresses.ports = PortList([443...443]) })
        #expect(Set(all.map { $0.anywhere[RedirectRules.field] }).count == all.count)
        #expect(all.allSatisfy { $0.directly(shop)[RedirectRules.field] == nil })
        let other = sent { $0.deniedHosts = hosts("b.example", "a.example") }
        #expect(other.anywhere == all[1].anywhere, "their order means nothing")
    }

    @Test func `is the same anywhere only if it is the same everywhere`() throws {
        let shops = try ["a", "b"].map { try profile("shop", "shop.example", ["X-Key": $0, "X-Same": "a"]) }
        let plain = try profile("plain", "shop.example", [:])
        let moved = try profile("shop", "*.shop.example", ["X-Key": "a", "X-Same": "a"])
        func key(_ profiles: OriginProfile...) -> String? {
            var configuration = OriginConfiguration()
            configuration.profiles = profiles
            return configuration.sentFields().anywhere.combined("X-Key")
        }
        #expect(key(shops[0]) == key(shops[0]) && key() == nil)
        let all = [
            key(shops[0]), key(shops[1]), key(moved), key(plain, shops[0]), key(shops[0], plain), key(plain),
        ]
        #expect(Set(all).count == all.count)
        let same = [sent(shops[0]), sent(shops[1])].map { $0.anywhere.combined("X-Same") }
        #expect(same[0] == same[1])
        #expect(sent(shops[0]).anywhere["Accept"] == OriginConfiguration().accept)
    }
}
