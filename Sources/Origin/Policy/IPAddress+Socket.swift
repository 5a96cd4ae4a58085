// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import Glibc

extension IPAddress {
    /// The bytes of a `sockaddr_in` or `sockaddr_in6`; nil for any other family.
    package init?(socketAddress bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<sockaddr_in>.size else { return nil }
        // Cannot trap: 16 bits into 32.
        switch Int32(bytes.loadUnaligned(fromByteOffset: 0, as: sa_family_t.self)) {
        case AF_INET:
            self = .v4(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            self = .v6(
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)))
        default:
            return nil
        }
    }

    /// The port of a `sockaddr_in` or `sockaddr_in6`; both keep it in the same place.
    static func port(ofSocketAddress bytes: UnsafeRawBufferPointer) -> UInt16 {
        UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
}
