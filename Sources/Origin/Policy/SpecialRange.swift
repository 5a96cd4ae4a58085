// SPDX-License-Identifier: Apache-2.0
//
// Addresses without public web servers, from the IANA special-purpose registries for IPv4 and IPv6 (RFC 6890 and its updates),
// the multicast registries, and two that no registry lists: Azure's wire server, and IPv6 addresses with an IPv4 address inside
// (NAT64, ISATAP), which are judged by the embedded address. 6to4 is closed in any case, because the registry does not call it
// globally reachable, and RFC 7526 has retired its relays.

internal import Clients
internal import HTTPSemantics

/// A special-purpose range: what it is for, and whether a setting may open it.
struct SpecialRange: Sendable, Hashable {
    /// The registry's words for the range, for logs.
    let purpose: String
    /// True if machines may have such addresses, so that a setting can open them; false for ranges without machines.
    let isInside: Bool

    /// The range of an address; nil for an address of the public Internet.
    static func holding(_ address: IPAddress) -> SpecialRange? {
        let address = address.unmapped
        if let row = table.first(where: { $0.block.contains(address) }) { return row.range }
        guard case .v6(let high, _) = address else { return nil }
        // IANA has given out global unicast from 2000::/3 only (RFC 4291 §2.4). NAT64 addresses are judged by the embedded
        // address.
        guard high >> 61 == 0b001 || address.translated != nil else {
            return SpecialRange(purpose: "not global unicast", isInside: false)
        }
        return carried(in: address).flatMap(holding)
    }

    /// The embedded IPv4 address, to which a translator or a tunnel would deliver packets; nil if there is none.
    static func carried(in address: IPAddress) -> IPAddress? {
        guard case .v6(let high, let low) = address else { return nil }
        // NAT64, through which a host without IPv4 reaches IPv4 addresses.
        if let translated = address.translated { return translated }
        // 6to4, 2002:a.b.c.d::/48 (RFC 3056 §2).
        if high >> 48 == 0x2002 { return .v4(UInt32(truncatingIfNeeded: high >> 16)) }
        // ISATAP, …:0:5efe:a.b.c.d and …:200:5efe:a.b.c.d under any prefix (RFC 5214 §6.1).
        if (low >> 32) & ~0x0200_0000 == 0x0000_5EFE { return .v4(UInt32(truncatingIfNeeded: low)) }
        return nil
    }

    /// True if packets for this address may arrive at a place that matches: at the address itself, or at the embedded one.
    static func leads(_ address: IPAddress, to matches: (IPAddress) -> Bool) -> Bool {
        matches(address.unmapped) || carried(in: address).map(matches) ?? false
    }

    private struct Row {
        let block: AddressBlock
        let range: SpecialRange

        init(_ text: String, _ purpose: String, inside: Bool = false) {
            // Cannot trap: the table below, the only caller, is constant, and the tests read every row.
            guard let block = AddressBlock(text) else { preconditionFailure("not a block: \(text)") }
            self.block = block
            range = SpecialRange(purpose: purpose, isInside: inside)
        }
    }

    private static let table = [
        Row("0.0.0.0/8", "this network"),
        Row("10.0.0.0/8", "private use", inside: true),
        Row("100.64.0.0/10", "shared address space", inside: true),
        Row("127.0.0.0/8", "loopback", inside: true),
        Row("168.63.129.16", "platform service", inside: true),
        Row("169.254.0.0/16", "link local", inside: true),
        Row("172.16.0.0/12", "private use", inside: true),
        Row("192.0.0.0/24", "protocol assignments"),
        Row("192.0.2.0/24", "documentation"),
        Row("192.31.196.0/24", "AS112"),
        Row("192.52.193.0/24", "multicast tunnelling"),
        Row("192.88.99.0/24", "6to4 relay"),
        Row("192.168.0.0/16", "private use", inside: true),
        Row("192.175.48.0/24", "AS112"),
        Row("198.18.0.0/15", "benchmarking", inside: true),
        Row("198.51.100.0/24", "documentation"),
        Row("203.0.113.0/24", "documentation"),
        Row("224.0.0.0/4", "multicast"),
        Row("240.0.0.0/4", "reserved"),
        Row("::1", "loopback", inside: true),
        Row("64:ff9b:1::/48", "local translation"),
        Row("100::/64", "discard"),
        Row("100:0:0:1::/64", "dummy prefix"),
        // Teredo, TURN and PCP anycast, benchmarking, AMT, AS112, ORCHID, ORCHIDv2 and drone identities.
        Row("2001::/23", "protocol assignments"),
        Row("2001:db8::/32", "documentation"),
        Row("2002::/16", "6to4"),
        Row("2620:4f:8000::/48", "AS112"),
        Row("3ffe::/16", "returned test network"),
        Row("3fff::/20", "documentation"),
        Row("5f00::/16", "segment routing"),
        Row("fc00::/7", "unique local", inside: true),
        Row("fe80::/10", "link local", inside: true),
        Row("fec0::/10", "site local", inside: true),
        Row("ff00::/8", "multicast"),
    ]
}
