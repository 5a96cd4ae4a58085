// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
import RandomInputs
import Testing

@Suite("The client is whom the last trusted proxy names, and nobody whom a client names")
struct ForwardedTrailTests {
    private static let proxies = TrustedProxies(["10.0.0.0/8", "2001:db8:ffff::/48"]) ?? TrustedProxies()

    /// The client's address; "peer" if the writer of the last hop counts as the client.
    private static func client(_ lines: [String], _ field: ForwardedField) -> String {
        var trail = ForwardedTrail(proxies: proxies)
        for line in lines { line.withFieldBytes { trail.read($0, of: field) } }
        return text(trail)
    }

    private static func text(_ trail: ForwardedTrail) -> String {
        guard let (address, port) = trail.client else { return "peer" }
        switch address {
        case .v4(let value):
            let parts = [24, 16, 8, 0].map { "\(value >> $0 & 255)" }.joined(separator: ".")
            return port == 0 ? parts : "\(parts) \(port)"
        case .v6(let high, let low):
            let parts = "\(String(high, radix: 16)) \(String(low, radix: 16))"
            return port == 0 ? parts : "\(parts) \(port)"
        }
    }

    @Test(arguments: [
        ("203.0.113.9", "203.0.113.9"),
        ("6.6.6.6, 203.0.113.9", "203.0.113.9"),
        ("6.6.6.6, 203.0.113.9, 10.0.0.2", "203.0.113.9"),
        ("6.6.6.6,203.0.113.9\t,10.0.0.2, 10.0.0.3", "203.0.113.9"),
        // All hops are our proxies, so the leftmost is a client in our own network.
        ("10.0.0.9, 10.0.0.2", "10.0.0.9"),
        // Empty elements count for nothing (RFC 9110 §5.6.1.2).
        (", 203.0.113.9, ,", "203.0.113.9"), ("", "peer"), (" , ", "peer"),
        // With a port, as some gateways write it.
        ("203.0.113.9:4711", "203.0.113.9 4711"), ("[2001:db8::1]:4711", "20010db800000000 1 4711"),
        ("[2001:db8::1]", "20010db800000000 1"), ("2001:db8::1", "20010db800000000 1"),
        // An IPv4 address in IPv6 is the same client, and the same proxy.
        ("::ffff:203.0.113.9", "203.0.113.9"), ("203.0.113.9, ::ffff:10.0.0.2", "203.0.113.9"),
        ("203.0.113.9, 2001:db8:ffff::7", "203.0.113.9"),
        // An unreadable hop ends the walk at the last certain address.
        ("203.0.113.9, unknown", "peer"), ("203.0.113.9, unknown, 10.0.0.2", "10.0.0.2"),
        ("203.0.113.9, _hidden, 10.0.0.2, 10.0.0.3", "10.0.0.2"), ("unknown, 203.0.113.9", "203.0.113.9"),
        ("203.0.113.9:", "peer"), ("203.0.113.9:99999", "peer"), ("203.0.113.9:+1", "peer"),
        ("203.0.113.9:80:80", "peer"), ("[203.0.113.9]", "peer"), ("[2001:db8::1", "peer"),
        ("2001:db8::1]:80", "peer"), ("[2001:db8::1]80", "peer"), ("\"203.0.113.9\"", "peer"),
        ("203.0.113.09", "peer"), ("203.0.113", "peer"), ("3405803785", "peer"), ("0x7f.1", "peer"),
        ("client.example", "peer"), ("fe80::1%eth0", "peer"), ("203.0.113.9 203.0.113.8", "peer"),
        ("203.0.113.9;for=6.6.6.6", "peer"), ("for=203.0.113.9", "peer"),
    ])
    func `X-Forwarded-For is read from the right`(line: String, client: String) {
        #expect(Self.client([line], .xForwardedFor) == client)
    }

    @Test(arguments: [
        ("for=203.0.113.9", "203.0.113.9"), ("For=203.0.113.9", "203.0.113.9"),
        ("for=6.6.6.6, for=203.0.113.9;proto=https;by=10.0.0.2", "203.0.113.9"),
        ("proto=https;by=\"_x\";for=\"203.0.113.9:4711\";host=\"a, for=6.6.6.6\"", "203.0.113.9 4711"),
        ("for=\"[2001:db8::1]\"", "20010db800000000 1"),
        ("for=\"[2001:db8::1]:4711\", for=10.0.0.2", "20010db800000000 1 4711"),
        ("for=\"[2001:db8::1]:_port\"", "20010db800000000 1"), ("for=\"203.0.113.9:_p\"", "203.0.113.9"),
        ("for=203.0.113.9 ; proto=https , for=10.0.0.2", "203.0.113.9"), (";for=203.0.113.9;", "203.0.113.9"),
        (", for=203.0.113.9, ,", "203.0.113.9"),
        // RFC 7239 §6.2, §6.3: unknown, and obfuscated.
        ("for=203.0.113.9, for=unknown", "peer"), ("for=203.0.113.9, for=_gazonk;by=10.0.0.2", "peer"),
        ("for=203.0.113.9, for=\"_gazonk:80\", for=10.0.0.2", "10.0.0.2"),
        // An element without `for`.
        ("for=203.0.113.9, proto=https", "peer"), ("for=203.0.113.9, by=10.0.0.2, for=10.0.0.3", "10.0.0.3"),
        // §4: each parameter once; a colon or a bracket stands in quotes; no white space around "=".
        ("for=203.0.113.9;for=6.6.6.6", "peer"), ("for=203.0.113.9;FOR=203.0.113.9", "peer"),
        ("for=203.0.113.9:80", "peer"), ("for=[2001:db8::1]", "peer"), ("for=\"2001:db8::1\"", "peer"),
        ("for = 203.0.113.9", "peer"), ("for=", "peer"), ("for", "peer"), ("203.0.113.9", "peer"),
        ("for=\"\"", "peer"), ("for=\"203.0.113.9", "peer"), ("for=\"203.0.113.9\"x", "peer"),
        ("for=\"203.0.113.9\" for=10.0.0.2", "peer"), ("for=\"[203.0.113.9]\"", "peer"),
        // An unclosed quote extends to the end of the line, whoever wrote it.
        ("for=6.6.6.6;x=\", for=203.0.113.9", "peer"), ("x=\", for=\"[2001:db8::1]\"", "peer"),
        ("for=6.6.6.6;x=\"\\\", for=203.0.113.9;by=\"a\"", "peer"),
    ])
    func `Forwarded is read from the right`(line: String, client: String) {
        #expect(Self.client([line], .forwarded) == client)
    }

    @Test func `several lines are one list`() {
        #expect(Self.client(["6.6.6.6", "203.0.113.9", "10.0.0.2"], .xForwardedFor) == "203.0.113.9")
        #expect(Self.client(["for=\"", "for=203.0.113.9"], .forwarded) == "203.0.113.9")
        #expect(Self.client(["for=203.0.113.9", "for=\""], .forwarded) == "peer")
    }

    @Test func `a flood of hops is read in one pass`() {
        let line = String(repeating: "10.0.0.2,", count: 7000)
        #expect(Self.client(["203.0.113.9," + line], .xForwardedFor) == "203.0.113.9")
        #expect(Self.client([line], .xForwardedFor) == "10.0.0.2")
    }

    /// The walk as documented: from the right, one hop after the other.
    private static func walk(_ hops: [ForwardedHop]) -> String {
        var client = "peer"
        for hop in hops.reversed() {
            guard case .address(let address, let port) = hop else { return client }
            var trail = ForwardedTrail(proxies: TrustedProxies())
            trail.pass(.address(address, port: port))
            client = text(trail)
            if !proxies.contains(address) { return client }
        }
        return client
    }

    @Test func `one pass from the left finds what a walk from the right does`() {
        var random = SeededRandom(for: "ForwardedTrail")
        for _ in 0..<5000 {
            let hops = (0..<Int.random(in: 0...6, using: &random)).map { _ -> ForwardedHop in
                switch Int.random(in: 0..<4, using: &random) {
                case 0: .uncertain
                case 1:
                    .address(.v4(UInt32.random(in: 0x0B00_0000...0xDFFF_FFFF, using: &random)), port: 0)
                default: .address(.v4(0x0A00_0000 | UInt32.random(in: 0...9, using: &random)), port: 0)
                }
            }
            var trail = ForwardedTrail(proxies: Self.proxies)
            for hop in hops { trail.pass(hop) }
            #expect(Self.text(trail) == Self.walk(hops))
        }
    }

    /// A proxy appends an honest element to whatever it was sent, in the same line or in a new one.
    @Test(arguments: ForwardedField.allCases)
    func `nothing that a client sends makes it somebody else`(field: ForwardedField) {
        let honest =
            field == .forwarded
            ? ["for=203.0.113.9", "for=\"[2001:db8::1]:80\"", "for=203.0.113.9;host=\"a,for=6.6.6.6\";by=x"]
            : ["203.0.113.9", "[2001:db8::1]:80", "2001:db8::1"]
        var random = SeededRandom(for: "ForwardedTrail")
        for round in 0..<4000 {
            let bytes = random.fieldBytes(limit: 40, alphabet: "for=6.6.6.6;\"\\, []:_x10.0.0.2")
            let sent = String(decoding: bytes, as: UTF8.self)
            let element = honest[round % honest.count]
            let truth = Self.client([element], field)
            #expect(truth != "peer")
            let words = "\(sent)"
            #expect(Self.client([sent, element], field) == truth, "\(words)")
            let joined = Self.client([sent + ", " + element], field)
            #expect(joined == truth || joined == "peer", "\(words)")
            // A trusted proxy behind that one appends the address of its own peer.
            let further = field == .forwarded ? "for=10.0.0.2" : "10.0.0.2"
            let twice = Self.client([sent + ", " + element + ", " + further], field)
            #expect(twice == truth || twice == "peer" || twice == "10.0.0.2", "\(words)")
        }
    }
}
