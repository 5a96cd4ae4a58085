// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPSemantics

/// An IPv4 or IPv6 address, as a number.
package enum IPAddress: Sendable, Hashable {
    case v4(UInt32)
    /// The upper and the lower 64 bits.
    case v6(UInt64, UInt64)

    /// The IPv4 address of `::ffff:a.b.c.d` (RFC 4291 §2.5.5.2), which is what the kernel connects to; otherwise the address itself.
    package var unmapped: IPAddress {
        if case .v6(0, let low) = self, low >> 32 == 0xFFFF { return .v4(UInt32(truncatingIfNeeded: low)) }
        return self
    }

    /// The IPv4 address of `64:ff9b::a.b.c.d` (RFC 6052 §2.1), which a translator between IPv6 and IPv4 writes; nil for any other
    /// address.
    package var translated: IPAddress? {
        guard case .v6(0x0064_FF9B_0000_0000, let low) = self, low >> 32 == 0 else { return nil }
        return .v4(UInt32(truncatingIfNeeded: low))
    }

    /// The address as 128 bits; an IPv4 address becomes `::ffff:a.b.c.d`.
    package var mapped: UInt128 {
        switch self {
        case .v4(let value): 0xFFFF_0000_0000 | UInt128(value)
        case .v6(let high, let low): UInt128(high) << 64 | UInt128(low)
        }
    }

    /// The address of 128 bits; `::ffff:a.b.c.d` becomes an IPv4 address.
    package init(mapped value: UInt128) {
        self =
            IPAddress.v6(UInt64(truncatingIfNeeded: value >> 64), UInt64(truncatingIfNeeded: value)).unmapped
    }
}

// MARK: Text

extension IPAddress {
    /// Parses a dotted quad or RFC 4291 §2.2 text, without brackets or zone. The sloppy forms of inet_aton(3)
    /// (`127.1`, `0x7f000001`) are refused here, and judged when they are dialled.
    package init?(_ text: String) {
        guard let address = text.withFieldBytes({ IPAddress($0) }) else { return nil }
        self = address
    }

    /// As `init(_:)` for text, for bytes. Allocates nothing.
    package init?(_ text: UnsafeRawBufferPointer) {
        if let value = AddressText.v4(text) {
            self = .v4(value)
        } else if let value = AddressText.v6(text) {
            self = .v6(UInt64(truncatingIfNeeded: value >> 64), UInt64(truncatingIfNeeded: value))
        } else {
            return nil
        }
    }
}
