// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Synchronization

/// A thread for calls that block on small files, one after the other.
///
/// **Isolation:** a `Mutex` around the queue.
final class SerialThread: Sendable {
    private struct State {
        var queue: [@Sendable () -> Void] = []
        var isClosing = false
    }

    private let state = Mutex(State())
    private let alarm: Alarm
    private let thread = Mutex<WorkerThread?>(nil)

    init(_ name: String) throws(SystemError) {
        alarm = try Alarm()
        let started = try WorkerThread(name) { [self] in run() }
        thread.withLock { $0 = started }
    }

    /// Runs `work` on the thread; after `close`, where it is called.
    func perform<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let isQueued = state.withLock { state in
                if !state.isClosing { state.queue.append { continuation.resume(returning: work()) } }
                return !state.isClosing
            }
            if isQueued { alarm.ring() } else { continuation.resume(returning: work()) }
        }
    }

    /// Does what waits, and ends the thread. Blocks.
    func close() {
        state.withLock { $0.isClosing = true }
        alarm.ring()
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.join()
    }

    private func run() {
        while true {
            let (work, isOver) = state.withLock { state in
                defer { state.queue = [] }
                return (state.queue, state.isClosing)
            }
            for item in work { item() }
            if work.isEmpty {
                if isOver { return }
                alarm.wait(nil, microseconds: 60_000_000)
            }
        }
    }
}
