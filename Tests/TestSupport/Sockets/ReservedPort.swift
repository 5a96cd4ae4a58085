// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A port of 127.0.0.1 that no other program gets by chance while this object lives. A socket of ours is bound to it and does
/// not listen; a program that is told the port can take it, if it sets SO_REUSEADDR, as servers do.
package final class ReservedPort: Sendable {
    package let number: UInt16
    private let descriptor: Int32

    package init() throws {
        descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(descriptor, raw, length) == 0 && getsockname(descriptor, raw, &length) == 0
            }
        }
        number = UInt16(bigEndian: address.sin_port)
        var yes: Int32 = 1
        // Only now: before, the kernel might have chosen a port that another program shares by this option.
        let isShared =
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size)) == 0
        guard isBound, isShared else { throw POSIXError(.EADDRINUSE) }
    }

    deinit { close(descriptor) }
}
