// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Pipeline

/// Holds tasks until it is opened. A cancelled task passes at once.
final class Gate: Sendable {
    private struct State {
        var isOpen: Bool
        var waiters: [OneShot<Bool>] = []
    }

    private let state: Mutex<State>

    init(open: Bool = false) { state = Mutex(State(isOpen: open)) }

    /// The number of tasks that were ever held here.
    var held: Int { state.withLock { $0.waiters.count } }

    /// - Returns: false if the task was cancelled while it waited.
    func pass() async -> Bool {
        let waiter = OneShot<Bool>()
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiters.append(waiter) }
            return state.isOpen
        }
        if isOpen { return true }
        return await withTaskCancellationHandler {
            await waiter.value()
        } onCancel: {
            waiter.settle(false)
        }
    }

    func close() { state.withLock { $0.isOpen = false } }

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            return state.waiters
        }
        for waiter in waiters { waiter.settle(true) }
    }
}

/// Lets other tasks run until the condition holds. The condition must become true without further action of the test, and must be
/// exactly what the next line relies on. Throws when the test's time limit has passed, because the limit only cancels the test's
/// task.
func until(_ condition: () -> Bool) async throws {
    while !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}

/// A task that is cancelled together with the task that waits for it, so that it ends with the test's time limit.
struct TestTask<Success: Sendable>: Sendable {
    private let task: Task<Success, Never>

    init(_ work: @escaping @Sendable () async -> Success) { task = Task(operation: work) }

    var value: Success {
        get async {
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    var isCancelled: Bool { task.isCancelled }
    func cancel() { task.cancel() }
}
