// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTP1
import HTTPSemantics
import Testing

@Suite("Whose a request is")
struct ClientRuleTests {
    private static let proxy = PeerAddress(ipv4: 0x0A00_0001, port: 4711)

    private static func rule(_ field: ForwardedField?, _ proxies: [String] = ["10.0.0.0/8"]) throws
        -> ClientRule
    {
        ClientRule(proxies: try #require(TrustedProxies(proxies)), field: field)
    }

    /// The client by the rule. The fields of the parsed head and their copies must name the same one.
    private static func client(
        _ fields: [String], _ rule: ClientRule, from peer: PeerAddress = proxy
    ) throws -> String {
        let lines = fields.map { "\($0)\r\n" }.joined()
        return try bytes("GET / HTTP/1.1\r\nHost: x\r\n\(lines)\r\n").withUnsafeBytes { bytes in
            var parser = RequestParser(limits: ParserLimits())
            let progress = try parser.parse(bytes)
            #expect(progress == .complete)
            let client = rule.client(of: parser.head, in: bytes, from: peer)
            let view = RequestView(head: parser.head, bytes: bytes, peer: peer)
            #expect(rule.client(of: view.fields, from: peer) == client)
            return client.description
        }
    }

    @Test func `nobody's word counts unless a setting names him`() throws {
        let lines = ["X-Forwarded-For: 203.0.113.9", "Forwarded: for=203.0.113.9"]
        #expect(try Self.client(lines, ClientRule()) == "10.0.0.1:4711")
        #expect(try Self.client(lines, Self.rule(nil)) == "10.0.0.1:4711")
        #expect(try Self.client(lines, Self.rule(.forwarded, ["10.0.0.2"])) == "10.0.0.1:4711")
        #expect(try Self.client(lines, Self.rule(.xForwardedFor, ["unix"])) == "10.0.0.1:4711")
    }

    @Test func `only the field that is named counts`() throws {
        let lines = ["X-Forwarded-For: 203.0.113.9", "Forwarded: for=203.0.113.8"]
        #expect(try Self.client(lines, Self.rule(.xForwardedFor)) == "203.0.113.9")
        #expect(try Self.client(lines, Self.rule(.forwarded)) == "203.0.113.8")
        #expect(try Self.client([lines[0]], Self.rule(.forwarded)) == "10.0.0.1:4711")
    }

    @Test func `all lines of it count, in their order and in any case`() throws {
        let lines = ["x-forwarded-for: 6.6.6.6", "A: 1.1.1.1", "X-FORWARDED-FOR: 203.0.113.9:80 , 10.0.0.3"]
        #expect(try Self.client(lines, Self.rule(.xForwardedFor)) == "203.0.113.9:80")
        #expect(try Self.client(lines + ["X-Forwarded-For: ?"], Self.rule(.xForwardedFor)) == "10.0.0.1:4711")
    }

    @Test func `a proxy on a unix socket, or at an IPv4 address in IPv6, can be trusted`() throws {
        let lines = ["Forwarded: for=203.0.113.9"]
        #expect(try Self.client(lines, Self.rule(.forwarded, ["unix"]), from: .local) == "203.0.113.9")
        #expect(try Self.client(lines, Self.rule(.forwarded), from: .local) == "unix")
        let mapped = PeerAddress(address: 0xFFFF_0A00_0001, port: 1)
        #expect(try Self.client(lines, Self.rule(.forwarded), from: mapped) == "203.0.113.9")
    }

    @Test func `a setting that is no network is no setting`() {
        #expect(TrustedProxies(["10.0.0.0/8", "x"]) == nil)
        #expect(TrustedProxies(["10.0.0.1/8"]) == nil)
        #expect(TrustedProxies([])?.isEmpty == true)
        #expect(TrustedProxies(["unix"])?.isEmpty == false)
    }
}
