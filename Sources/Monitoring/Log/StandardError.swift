// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Words of a command to whoever gave it, before there is a log and after it.
package enum StandardError {
    /// How long a reader may leave the rest untaken, in milliseconds: a command ends also where nobody reads.
    private static let patience: Int32 = 1_000
    /// A pipe that has room for anything has room for so many bytes (PIPE_BUF, pipe(7)).
    private static let piece = 4_096

    /// What cannot be written is lost.
    package static func write(_ text: String) {
        let bytes = Array(text.utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            var interest = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            let isReady = poll(&interest, 1, patience)
            if isReady < 0, errno == EINTR { continue }
            guard isReady > 0 else { return }
            let count = rest.prefix(piece).withUnsafeBytes {
                Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
