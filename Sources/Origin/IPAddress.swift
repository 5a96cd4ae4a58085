// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An address that could be dialled, as a number.
package enum IPAddress: Sendable, Hashable {
    case v4(UInt32)
    /// The upper and the lower 64 bits.
    case v6(UInt64, UInt64)

    /// Dotted quad or RFC 4291 §2.2 text, without brackets or zone. The sloppy forms of inet_aton(3)
    /// (`127.1`, `0x7f000001`) are no addresses here; they are caught when they are dialled.
    package init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self = .v4(UInt32(bigEndian: four.s_addr))
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self = withUnsafeBytes(of: &six) { Self.v6(at: 0, of: $0) }
        } else {
            return nil
        }
    }

    /// The bytes of a `sockaddr_in` or `sockaddr_in6`; nil for any other family.
    package init?(socketAddress bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<sockaddr_in>.size else { return nil }
        switch Int32(bytes.loadUnaligned(fromByteOffset: 0, as: sa_family_t.self)) {
        case AF_INET:
            self = .v4(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            self = Self.v6(at: 8, of: bytes)
        default:
            return nil
        }
    }

    private static func v6(at offset: Int, of bytes: UnsafeRawBufferPointer) -> IPAddress {
        .v6(
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)))
    }

    /// The port in the bytes of a `sockaddr_in` or `sockaddr_in6`: both keep it in the same place.
    static func port(ofSocketAddress bytes: UnsafeRawBufferPointer) -> UInt16 {
        UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }

    /// `::ffff:a.b.c.d` is another spelling of `a.b.c.d` (RFC 4291 §2.5.5.2), and the kernel dials it as
    /// that.
    var unmapped: IPAddress {
        if case .v6(0, let low) = self, low >> 32 == 0xFFFF { return .v4(UInt32(truncatingIfNeeded: low)) }
        return self
    }
}
