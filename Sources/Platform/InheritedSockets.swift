// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Listening sockets that the service manager opened for this process (sd_listen_fds(3)).
package enum InheritedSockets {
    /// `$LISTEN_FDS` descriptors from 3 on, if `$LISTEN_PID` says that they are meant for this process.
    package static var descriptors: [Int32] {
        guard number("LISTEN_PID") == getpid(), let count = number("LISTEN_FDS"), count > 0, count < 1024
        else {
            return []
        }
        return (0..<count).map { 3 + $0 }
    }

    private static func number(_ name: String) -> Int32? {
        getenv(name).flatMap { Int32(String(cString: $0)) }
    }
}
