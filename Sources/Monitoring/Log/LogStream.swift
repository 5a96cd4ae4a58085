// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
package import Kernel
internal import Synchronization

/// Writes lines to standard error or standard output asynchronously: other threads append lines without waiting, and one thread
/// writes them.
///
/// Only that thread waits for the reader. While nobody reads (a full pipe, a stopped terminal), lines queue up to a limit of
/// bytes, besides at most as many that are being written; later lines are dropped and counted. Lines whose write fails (a full
/// disk, a reader that is gone) are dropped as well, and the next ones are tried.
///
/// **Isolation:** one `Mutex` guards the waiting bytes, held for an append or a swap; only the thread writes.
package final class LogStream: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        /// Dropped lines that were not reported yet.
        var untold = 0
        var isClosed = false

        mutating func drop(_ lines: Int) {
            dropped += lines
            untold += lines
        }
    }

    /// The most milliseconds for writing the last lines at the end. A live reader takes 4 MiB in less; without a reader, the end
    /// of the daemon is delayed by so much.
    static let farewell = 1_000
    /// The largest buffer that is kept, in bytes; a larger one, which grew while nobody read, is released.
    private static let keptCapacity = 256 << 10

    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)
    private let finished = DispatchSemaphore(value: 0)
    private let descriptor: Int32
    private let limit: Int
    private let gathering: UInt32
    private let tell: @Sendable (Int) -> Void

    /// Starts the writing thread.
    ///
    /// - Parameters:
    ///   - descriptor: the caller owns it and keeps it open.
    ///   - name: the thread's name, at most 15 bytes.
    ///   - limit: the most bytes that may wait.
    ///   - gathering: how many milliseconds lines wait for more lines, so that many leave in one write.
    ///   - tell: called on the writing thread with the number of dropped lines, once lines can be written again.
    /// - Throws: if the thread cannot be started.
    package init(
        descriptor: Int32, name: String, limit: Int, gathering: UInt32 = 0,
        tell: @escaping @Sendable (_ dropped: Int) -> Void
    ) throws(SystemError) {
        self.descriptor = descriptor
        self.limit = limit
        self.gathering = gathering
        self.tell = tell
        try WorkerThread(name) { [self] in
            writeAll()
            finished.signal()
        }.detach()
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Lines dropped since the start.
    package var dropped: Int { state.withLock { $0.dropped } }

    /// Appends a line, or drops it if the queue is full or closed. Never waits for the reader.
    ///
    /// - Parameter writeLine: appends the line with its line feed. It runs under the lock, which costs less
    ///   than copying the line from another buffer.
    package func append(_ writeLine: (inout [UInt8]) -> Void) {
        let wasEmpty = state.withLock { state in
            guard !state.isClosed, state.waiting.count < limit else {
                state.drop(1)
                return false
            }
            defer { writeLine(&state.waiting) }
            return state.waiting.isEmpty
        }
        if wasEmpty { arrived.signal() }
    }

    /// Writes the waiting lines, for at most `farewell`; later lines are dropped.
    package func close() {
        state.withLock { $0.isClosed = true }
        arrived.signal()
        _ = finished.wait(timeout: .now() + .milliseconds(Self.farewell))
    }

    // MARK: On the thread

    private func writeAll() {
        var bytes: [UInt8] = []
        var isTorn = false
        while takeWaiting(&bytes) {
            // The last write ended within a line, whose rest was dropped. A line feed ends it before the next line.
            if isTorn, !bytes.isEmpty { bytes.insert(Self.lineFeed, at: 0) }
            let written = write(bytes)
            let lost = bytes[written...].count { $0 == Self.lineFeed }
            if written > 0 { isTorn = bytes[written - 1] != Self.lineFeed }
            let untold = state.withLock { state in
                state.drop(lost)
                guard lost == 0, !bytes.isEmpty else { return 0 }
                return exchange(&state.untold, with: 0)
            }
            if untold > 0 { tell(untold) }
        }
    }

    /// Waits for lines; returns false after the last ones.
    private func takeWaiting(_ bytes: inout [UInt8]) -> Bool {
        if !isClosed { arrived.wait() }
        if gathering > 0, !isClosed { usleep(gathering * 1_000) }
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
        return state.withLock { state in
            swap(&bytes, &state.waiting)
            return !(state.isClosed && bytes.isEmpty)
        }
    }

    /// Writes the bytes. Returns the number of bytes written.
    private func write(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count > 0 {
                    written += count
                } else if count < 0, errno == EAGAIN {
                    // The descriptor is non-blocking, because another process that shares the open file has made it so.
                    var interest = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&interest, 1, -1)
                } else if count == 0 || errno != EINTR {
                    break
                }
            }
            return written
        }
    }

    private static let lineFeed = UInt8(ascii: "\n")
}
