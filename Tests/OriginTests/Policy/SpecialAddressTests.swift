// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
import Testing

@testable import Origin

/// The special-purpose registries' ranges by their first and last addresses.
@Suite("A special range is closed from its first address to its last, and not beyond")
struct SpecialAddressTests {
    struct Range: Sendable, CustomTestStringConvertible {
        let first, last: String
        /// True if `origin.allow-private` opens the range.
        let isInside: Bool

        init(_ first: String, _ last: String, isInside: Bool = false) {
            (self.first, self.last, self.isInside) = (first, last, isInside)
        }

        var testDescription: String { "\(first) to \(last)" }
    }

    private static let plain = AddressPolicy()
    private static let inside = AddressPolicy(allowsPrivate: true)

    private static func isOpen(_ address: IPAddress, _ policy: AddressPolicy) -> Bool {
        policy.refusal(of: address, port: 80) == nil
    }

    private static let ranges = [
        Range("10.0.0.0", "10.255.255.255", isInside: true),
        Range("100.64.0.0", "100.127.255.255", isInside: true),
        Range("127.0.0.0", "127.255.255.255", isInside: true),
        Range("168.63.129.16", "168.63.129.16", isInside: true),
        Range("169.254.0.0", "169.254.255.255", isInside: true),
        Range("172.16.0.0", "172.31.255.255", isInside: true),
        Range("192.0.0.0", "192.0.0.255"), Range("192.0.2.0", "192.0.2.255"),
        Range("192.31.196.0", "192.31.196.255"), Range("192.52.193.0", "192.52.193.255"),
        Range("192.88.99.0", "192.88.99.255"), Range("192.168.0.0", "192.168.255.255", isInside: true),
        Range("192.175.48.0", "192.175.48.255"), Range("198.18.0.0", "198.19.255.255", isInside: true),
        Range("198.51.100.0", "198.51.100.255"), Range("203.0.113.0", "203.0.113.255"),
        Range("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
        Range("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
        Range("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        Range("2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff"),
        Range("3ffe::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ]

    @Test(arguments: ranges)
    func `its edges are closed, and their neighbours are the public Internet`(range: Range) throws {
        let first = try #require(IPAddress(range.first))
        let last = try #require(IPAddress(range.last))
        for edge in [first, last] {
            #expect(!Self.isOpen(edge, Self.plain))
            #expect(Self.isOpen(edge, Self.inside) == range.isInside)
        }
        for neighbour in [IPAddress(mapped: first.mapped - 1), IPAddress(mapped: last.mapped + 1)] {
            #expect(Self.isOpen(neighbour, Self.plain), "\(neighbour)")
        }
    }

    /// There are no public addresses beside these ranges.
    @Test(arguments: [
        Range("0.0.0.0", "0.255.255.255"), Range("224.0.0.0", "239.255.255.255"),
        Range("240.0.0.0", "255.255.255.255"), Range("::", "::"), Range("::1", "::1", isInside: true),
        Range("::2", "::fffe:ffff:ffff"), Range("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"),
        Range("100::", "100::1:ffff:ffff:ffff:ffff"), Range("5f00::", "5f00:ffff::ffff"),
        Range("1fff:ffff::1", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), Range("4000::", "fbff:ffff::ffff"),
        Range("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", isInside: true),
        Range("fe00::", "fe7f:ffff::ffff"),
        Range("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", isInside: true),
        Range("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", isInside: true),
        Range("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ])
    func `what is inside opens by its setting, and what leads nowhere stays closed`(range: Range) throws {
        for edge in [try #require(IPAddress(range.first)), try #require(IPAddress(range.last))] {
            #expect(!Self.isOpen(edge, Self.plain))
            #expect(Self.isOpen(edge, Self.inside) == range.isInside)
        }
    }

    @Test func `an address inside another is judged at every edge of the ways to it`() throws {
        for (carrier, isOpen) in [
            ("64:ff9b::808:808", true), ("64:ff9b::a00:1", false), ("64:ff9b::1:808:808", false),
            ("64:ff9a:ffff:ffff::808:808", false), ("2600::5efe:808:808", true),
            ("2600::5efe:a00:1", false), ("2600::200:5efe:a00:1", false),
            // These are not ISATAP addresses: other bits of the group are set, so they embed no address.
            ("2600::400:5efe:a00:1", true), ("2600::5eff:a00:1", true), ("2600::1:5efe:a00:1", true),
        ] {
            #expect(Self.isOpen(try #require(IPAddress(carrier)), Self.plain) == isOpen, "\(carrier)")
        }
    }
}
