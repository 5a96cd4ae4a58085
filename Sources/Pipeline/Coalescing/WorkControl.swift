// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The handle on one in-flight request's work: starts it once, outside every lock, and cancels it, in whichever order the two
/// are asked for.
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
    private let state = Mutex(State.ready)

    init(priority: Priority) { self.priority = LivePriority(priority) }

    /// The work runs in a task of its own, which inherits nothing of the client that happened to come first. Its priority is
    /// low, so requests that can be answered at once get the processor before it.
    func start(_ work: @escaping @Sendable () async -> Void) {
        guard state.withLock({ if case .cancelled = $0 { false } else { true } }) else { return }
        let task = Task.detached(priority: .background, operation: work)
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
