// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Traces

/// The handle on the work of one in-flight request: starts it once, outside of every lock, and cancels it, in
/// either order.
///
/// **Isolation:** a `Mutex`, never held while the task is touched.
final class WorkControl: Sendable {
    private enum State {
        case ready
        case flying(Task<Void, Never>)
        /// Cancelled before or after the start; nothing starts any more.
        case cancelled
    }

    let priority: LivePriority
    /// The place in the trace where the first waiter waits; nil if its request is not traced.
    let place = RequestSpan.current?.place
    private let state = Mutex(State.ready)

    init(priority: Priority) { self.priority = LivePriority(priority) }

    /// Starts the work in a task of its own, which inherits nothing from the first client but its request's name and span. Its
    /// task priority is low, so that requests with ready answers get the processor first.
    func start(_ work: @escaping @Sendable () async -> Void) {
        guard state.withLock({ if case .cancelled = $0 { false } else { true } }) else { return }
        let task = Task(priority: .background, operation: work)
        let tooLate = state.withLock { state in
            if case .cancelled = state { return true }
            state = .flying(task)
            return false
        }
        if tooLate { task.cancel() }
    }

    func cancel() {
        let task: Task<Void, Never>? = state.withLock { state in
            defer { state = .cancelled }
            if case .flying(let task) = state { return task }
            return nil
        }
        task?.cancel()
    }
}
