// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import CLinux
internal import Glibc

extension PeerAddress {
    /// The address of a peer, or of a socket itself, from the kernel's `sockaddr_in` or `sockaddr_in6`; anything else counts as a
    /// Unix socket.
    init(_ storage: sockaddr_storage) {
        self = withUnsafeBytes(of: storage) { bytes in
            // Cannot trap: widens 16 bits to 32.
            switch Int32(storage.ss_family) {
            case AF_INET:
                // Cannot trap: a `sockaddr_storage` is aligned for both types.
                let address = bytes.load(as: sockaddr_in.self)
                return PeerAddress(
                    ipv4: UInt32(bigEndian: address.sin_addr.s_addr),
                    port: UInt16(bigEndian: address.sin_port))
            case AF_INET6:
                // Cannot trap: a `sockaddr_storage` is aligned for both types.
                let address = bytes.load(as: sockaddr_in6.self)
                let value = withUnsafeBytes(of: address.sin6_addr) { $0.loadUnaligned(as: UInt128.self) }
                return PeerAddress(
                    address: UInt128(bigEndian: value), port: UInt16(bigEndian: address.sin6_port))
            default: return .local
            }
        }
    }
}
