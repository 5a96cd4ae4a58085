// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Pipeline

/// Holds tasks until it is opened. A cancelled task is let go at once.
final class Gate: Sendable {
    private struct State {
        var isOpen: Bool
        var waiters: [OneShot<Bool>] = []
    }

    private let state: Mutex<State>

    init(open: Bool = false) { state = Mutex(State(isOpen: open)) }

    /// How many were ever held here.
    var held: Int { state.withLock { $0.waiters.count } }

    /// - Returns: false where the task was cancelled meanwhile.
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

/// Lets the others run until the condition holds. What is waited for must come about by itself, and be the very thing
/// that the next line relies on. Throws where the test's time is over, which otherwise would not end it.
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
