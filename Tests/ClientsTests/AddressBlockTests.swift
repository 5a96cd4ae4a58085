// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
import Testing

@Suite("A block of addresses is read as it was meant, or not at all")
struct AddressBlockTests {
    private static func block(_ text: String) throws -> AddressBlock { try #require(AddressBlock(text)) }

    private static func holds(_ block: String, _ address: String) throws -> Bool {
        try Self.block(block).contains(try #require(IPAddress(address)))
    }

    @Test(arguments: [
        "", "/", "/8", "10.0.0.0/", "10.0.0.0//8", "10.0.0.0/33", "10.0.0.1/8", "10.0.0/8", "fc00::/129",
        "fc00::1/7", "10.0.0.0/8/8", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/0008", "10.0.0.0/8x",
        "10.0.0.0/:", "10.0.0.0/ 8", "10.0.0.0/99999999999999999999", "a.example", "fe80::1%eth0", "[::1]",
        "2001:db8::1/127", "2001:db8:0:0:8000::/64", "::ffff:10.0.0.1/104",
    ])
    func `takes no block that could have been meant otherwise`(text: String) {
        #expect(AddressBlock(text) == nil)
    }

    @Test func `tells host bits that are set from other mistakes`() {
        for text in ["10.0.0.1/8", "fc00::1/7", "::ffff:10.0.0.1/104"] {
            #expect(AddressBlock.hasHostBits(text), "\(text)")
        }
        for text in ["10.0.0.0/8", "10.0.0.1", "10.0.0.0/33", "fe80::1%eth0", "a.example", ""] {
            #expect(!AddressBlock.hasHostBits(text), "\(text)")
        }
    }

    @Test func `takes a block of everything, and one of a single address`() throws {
        let (all, one) = (try Self.block("0.0.0.0/0"), try Self.block("2001:db8::1"))
        #expect(all.contains(.v4(0)) && all.contains(.v4(.max)) && !all.contains(.v6(0, 0)))
        #expect(one.contains(.v6(0x2001_0DB8_0000_0000, 1)) && !one.contains(.v6(0x2001_0DB8_0000_0000, 2)))
        #expect(try Self.holds("192.0.2.7", "192.0.2.7") && !Self.holds("192.0.2.7", "192.0.2.6"))
        #expect(try Self.holds("::/0", "ffff::1") && !Self.holds("::/0", "192.0.2.1"))
        #expect(try Self.block("192.0.2.7") == Self.block("192.0.2.7/32"))
        #expect(try Self.block("2001:db8::1") == Self.block("2001:db8::1/128"))
    }

    /// The first and the last address of each block, and their neighbours outside.
    @Test(arguments: [
        ("10.0.0.0/8", "9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"),
        ("100.64.0.0/10", "100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"),
        ("192.0.2.4/30", "192.0.2.3", "192.0.2.4", "192.0.2.7", "192.0.2.8"),
        ("fc00::/7", "fbff::ffff", "fc00::", "fdff:ffff::1", "fe00::"),
        ("2001:db8::/64", "2001:db7:ffff:ffff::1", "2001:db8::", "2001:db8::ffff:0:0:1", "2001:db8:0:1::"),
        ("2001:db8::/63", "2001:db7:ffff:ffff::1", "2001:db8::", "2001:db8:0:1::1", "2001:db8:0:2::"),
        (
            "2001:db8:0:0:8000::/65", "2001:db8::7fff:ffff:ffff:ffff", "2001:db8::8000:0:0:0",
            "2001:db8::ffff:ffff:ffff:ffff", "2001:db8:0:1::"
        ),
        ("2001:db8::8/125", "2001:db8::7", "2001:db8::8", "2001:db8::f", "2001:db8::10"),
    ])
    func `holds its first address, its last, and none beside them`(
        block: String, before: String, first: String, last: String, after: String
    ) throws {
        #expect(try !Self.holds(block, before))
        #expect(try Self.holds(block, first))
        #expect(try Self.holds(block, last))
        #expect(try !Self.holds(block, after))
    }

    @Test func `a block of mapped addresses is one of IPv4`() throws {
        #expect(try Self.block("::ffff:10.0.0.0/104") == Self.block("10.0.0.0/8"))
        #expect(try Self.block("::ffff:192.0.2.1") == Self.block("192.0.2.1"))
        #expect(try Self.block("::ffff:0.0.0.0/96") == Self.block("0.0.0.0/0"))
        // A block that also holds other addresses than mapped ones is a block of IPv6.
        #expect(try Self.holds("::/80", "::1") && !Self.holds("::/80", "10.0.0.1"))
    }
}

@Suite("Trusted proxies are networks, addresses, and whoever comes by a unix socket")
struct TrustedProxiesTests {
    @Test func `nobody is trusted without being named`() throws {
        for nobody in [TrustedProxies(), try #require(TrustedProxies([]))] {
            #expect(nobody.isEmpty)
            #expect(!nobody.contains(.v4(0x7F00_0001)))
            #expect(!nobody.contains(nil))
        }
    }

    @Test func `each name trusts those whom it names`() throws {
        let networks = try #require(TrustedProxies(["10.0.0.0/8", "2001:db8::1"]))
        #expect(!networks.isEmpty)
        #expect(networks.contains(IPAddress("10.1.2.3")))
        #expect(networks.contains(IPAddress("::ffff:10.1.2.3")))
        #expect(networks.contains(IPAddress("2001:db8::1")))
        #expect(!networks.contains(IPAddress("11.0.0.0")))
        #expect(!networks.contains(nil))
        let unix = try #require(TrustedProxies(["unix"]))
        #expect(!unix.isEmpty)
        #expect(unix.contains(nil))
        #expect(!unix.contains(.v4(0)))
    }

    @Test(arguments: [["10.0.0.1/8"], ["unix", ""], ["Unix"], ["10.0.0.0/8", "proxy.example"]])
    func `a name of nobody makes the list none`(texts: [String]) {
        #expect(TrustedProxies(texts) == nil)
    }
}
