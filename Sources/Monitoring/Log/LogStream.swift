// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
package import Kernel
internal import Synchronization

/// Lines on their way to standard error or standard output: threads leave them here and go on; one thread
/// writes.
///
/// Nobody but that thread waits for a reader. While nobody takes them (a pipe that is not read, a terminal
/// that is held), lines queue up to a limit of bytes, beside those that are being written, at most as many;
/// later ones are dropped and counted. So are lines whose write fails (a full disk, a reader that is gone):
/// the next ones are tried anew.
///
/// **Isolation:** the waiting bytes behind one `Mutex`, held for an append or a swap; the thread alone
/// writes.
package final class LogStream: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        /// Of the dropped lines, those that nobody has been told of.
        var untold = 0
        var isClosed = false

        mutating func drop(_ lines: Int) {
            dropped += lines
            untold += lines
        }
    }

    /// How long the last lines may take at the end, in milliseconds. A reader who is there takes 4 MiB in
    /// less; without one, this is how much later the daemon ends.
    static let farewell = 1_000
    /// A buffer that grew beyond this while nobody read is given back.
    private static let keptCapacity = 256 << 10

    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)
    private let finished = DispatchSemaphore(value: 0)
    private let descriptor: Int32
    private let limit: Int
    private let gathering: UInt32
    private let tell: @Sendable (Int) -> Void

    /// - Parameters:
    ///   - descriptor: stays the caller's, and open.
    ///   - name: of the thread, at most 15 bytes.
    ///   - limit: bytes that may wait.
    ///   - gathering: milliseconds that lines wait for others, so that many leave in one write.
    ///   - tell: gets the number of lines that were dropped once lines get out again. On the writing thread.
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

    /// Lines that were lost.
    package var dropped: Int { state.withLock { $0.dropped } }

    /// Never waits for the reader.
    ///
    /// - Parameter writeLine: appends a line with its line feed. Holding the lock for the writing costs less
    ///   than a
    ///   buffer that the line is copied from.
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

    /// Writes what is waiting, or gives it up after `farewell`; what is appended later is dropped.
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
            // The rest of a line was lost; the next one is a line all the same.
            if isTorn, !bytes.isEmpty { bytes.insert(Self.lineFeed, at: 0) }
            let written = write(bytes)
            let lost = bytes[written...].count { $0 == Self.lineFeed }
            if written > 0 { isTorn = bytes[written - 1] != Self.lineFeed }
            let untold = state.withLock { state in
                state.drop(lost)
                guard lost == 0, !bytes.isEmpty else { return 0 }
                defer { state.untold = 0 }
                return state.untold
            }
            if untold > 0 { tell(untold) }
        }
    }

    /// Waits for lines. False: these were the last.
    private func takeWaiting(_ bytes: inout [UInt8]) -> Bool {
        if !isClosed { arrived.wait() }
        if gathering > 0, !isClosed { usleep(gathering * 1_000) }
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
        return state.withLock { state in
            swap(&bytes, &state.waiting)
            return !(state.isClosed && bytes.isEmpty)
        }
    }

    /// How many bytes got out.
    private func write(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count > 0 {
                    written += count
                } else if count < 0, errno == EAGAIN {
                    // Whoever shares the open file has made it non-blocking.
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
