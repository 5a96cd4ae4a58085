// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// A range of addresses in CIDR notation: `10.0.0.0/8`, `fc00::/7`, or one address.
package struct AddressBlock: Sendable, Hashable {
    private let base: IPAddress
    private let prefix: Int

    /// Nil if the text is malformed, or has bits set after the prefix, because such a block is a typing mistake, and a guess might
    /// open more than was meant.
    package init?(_ text: String) {
        guard let block = Self.read(text), Self.masked(block.base, to: block.prefix) == block.base else {
            return nil
        }
        self = block
    }

    /// True for a network with host bits set that is valid otherwise: `10.1.2.3/16`.
    package static func hasHostBits(_ text: String) -> Bool {
        read(text) != nil && AddressBlock(text) == nil
    }

    private init(_ base: IPAddress, _ prefix: Int) { (self.base, self.prefix) = (base, prefix) }

    private static func read(_ text: String) -> AddressBlock? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        // Cannot trap: empty parts are kept, so there is at least one.
        guard parts.count <= 2, let base = IPAddress(String(parts[0])) else { return nil }
        let width = if case .v4 = base { 32 } else { 128 }
        guard let prefix = parts.count == 1 ? width : decimal(parts[1]), prefix <= width else { return nil }
        // An IPv4-mapped block is treated as a block of IPv4 (RFC 4291 §2.5.5.2), because addresses are compared unmapped.
        let isMapped = prefix >= 96 && base.unmapped != base
        return AddressBlock(isMapped ? base.unmapped : base, isMapped ? prefix - 96 : prefix)
    }

    /// A spelling for comparison only: equal texts mean equal blocks.
    package var code: String { "\(base)/\(prefix)" }

    /// True if the address lies in the block; `address` must be unmapped.
    package func contains(_ address: IPAddress) -> Bool {
        switch (base, address) {
        case (.v4, .v4), (.v6, .v6): Self.masked(address, to: prefix) == base
        default: false
        }
    }

    private static func masked(_ address: IPAddress, to prefix: Int) -> IPAddress {
        switch address {
        case .v4(let value): .v4(value & ~(UInt32.max >> prefix))
        case .v6(let high, let low):
            .v6(high & ~(UInt64.max >> prefix), low & ~(UInt64.max >> max(0, prefix - 64)))
        }
    }

    private static func decimal(_ digits: Substring) -> Int? {
        guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isASCIIDigit)
        else { return nil }
        return Int(digits)
    }
}
