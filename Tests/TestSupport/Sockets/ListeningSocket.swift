// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A listening socket on loopback that outlives the daemons to which it is given, as a service manager holds one.
package final class ListeningSocket: Sendable {
    package let port: UInt16
    let descriptor: Int32

    package init() throws {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let listens = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(descriptor, raw, length) == 0 && listen(descriptor, 128) == 0
                    && getsockname(descriptor, raw, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard listens else { throw POSIXError(.EADDRINUSE) }
    }

    deinit { close(descriptor) }

    /// Gives it to a process that has not begun, as a service manager does (sd_listen_fds(3)).
    /// - Returns: what the process has to run in place of `command`: it alone knows its number, which it has to tell, and it has
    ///   the socket as its standard input first.
    func give(to process: Process, running command: [String]) -> [String] {
        process.standardInput = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        let line = "export LISTEN_PID=$$ LISTEN_FDS=1; exec \"$@\" 3<&0 0</dev/null"
        return ["/bin/sh", "-c", line, "sh"] + command
    }
}
