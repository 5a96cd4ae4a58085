// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A command's messages on standard error, before there is a log and after it.
package enum StandardError {
    /// Milliseconds to wait for a reader; the command then ends without having written the rest.
    private static let timeout: Int32 = 1_000
    /// Bytes that fit into a pipe whenever it is writable at all (PIPE_BUF, pipe(7)).
    private static let piece = 4_096

    private static let isJournal = JournalStream.isStandardError

    /// Writes the text, in which errors begin with "Error: "; drops the part that nobody reads in time.
    package static func write(_ text: String) {
        let bytes = Array((isJournal ? JournalStream.prioritised(text) : text).utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            var interest = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            let isReady = poll(&interest, 1, timeout)
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
