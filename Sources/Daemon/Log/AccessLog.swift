// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Synchronization

/// Lines about requests on their way to standard output: event loops leave them here and go on; one thread writes.
///
/// Lines wait 100 ms at most, and many leave in one write. If nobody takes them (a pipe that is not read), 4 MiB
/// are held, about 20,000 lines, and later ones are dropped and counted rather than holding up answers.
///
/// **Isolation:** the waiting bytes behind one `Mutex`, held for an append or a swap; the thread alone writes.
final class AccessLog: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        var isClosed = false
    }

    private static let limit = 4 << 20
    private static let pause = 0.1

    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)
    private let finished = DispatchSemaphore(value: 0)
    private let descriptor: Int32

    init(descriptor: Int32 = STDOUT_FILENO) {
        self.descriptor = descriptor
        let thread = Thread { [self] in
            while writeWaiting() {}
            finished.signal()
        }
        thread.name = "access-log"
        thread.start()
    }

    /// Lines that were lost because nobody read.
    var dropped: Int { state.withLock { $0.dropped } }

    /// - Parameter writeLine: appends a line with its line feed. Holding the lock for the writing costs less than a
    ///   buffer that the line is copied from.
    func append(_ writeLine: (inout [UInt8]) -> Void) {
        let wasEmpty = state.withLock { state in
            guard state.waiting.count < Self.limit else {
                state.dropped += 1
                return false
            }
            defer { writeLine(&state.waiting) }
            return state.waiting.isEmpty
        }
        if wasEmpty { arrived.signal() }
    }

    /// Writes what is waiting; nothing may be appended afterwards.
    func close() {
        state.withLock { $0.isClosed = true }
        arrived.signal()
        finished.wait()
    }

    /// False after the last bytes.
    private func writeWaiting() -> Bool {
        arrived.wait()
        if !state.withLock({ $0.isClosed }) { Thread.sleep(forTimeInterval: Self.pause) }
        let (bytes, isClosed) = state.withLock { state in
            defer { state.waiting.removeAll(keepingCapacity: true) }
            return (state.waiting, state.isClosed)
        }
        bytes.withUnsafeBytes { rest in
            var rest = rest[...]
            while !rest.isEmpty {
                let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0 && errno != EINTR { return }
                rest = rest.dropFirst(max(count, 0))
            }
        }
        return !isClosed
    }
}
