// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Writes a command's messages to standard error, also before the log begins and after it ends.
package enum StandardError {
    /// How many milliseconds to wait for a reader before the rest of a message is dropped.
    private static let timeout: Int32 = 1_000
    /// So many bytes fit into a pipe whenever poll(2) calls it writable (PIPE_BUF, pipe(7)).
    private static let piece = 4_096

    private static let isJournal = JournalStream.isStandardError

    /// Writes the text, in which errors begin with "Error: "; drops the part that is not read in time.
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
