// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A value that arrives once and is waited for by at most one task.
///
/// Events may come in any order: settling before the wait, settling twice, settling while the waiter is being cancelled. The
/// first value counts. The continuation is resumed exactly once, and outside the lock, because the code that runs then may
/// want the lock again.
///
/// **Isolation:** a `Mutex`, never held while a continuation is resumed.
package final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        /// Ends with a value (`settled`) or with a waiter (`waiting`).
        case empty
        /// Ends with a value.
        case waiting(CheckedContinuation<Value, Never>)
        case settled(Value)
    }

    private let state = Mutex(State.empty)

    package init() {}

    /// The first value stays; later ones are dropped.
    package func settle(_ value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .empty:
                state = .settled(value)
                return nil
            case .waiting(let continuation):
                state = .settled(value)
                return continuation
            case .settled:
                return nil
            }
        }
        waiter?.resume(returning: value)
    }

    /// Waits for the value. A caller that must not wait on after a cancellation settles the shot from its handler.
    package func value() async -> Value {
        await withCheckedContinuation { continuation in
            let ready: Value? = state.withLock { state in
                switch state {
                case .empty:
                    state = .waiting(continuation)
                    return nil
                case .settled(let value):
                    return value
                case .waiting:
                    // Cannot trap: the maker of a shot waits for it, once.
                    preconditionFailure("A one-shot value has one waiter: its maker.")
                }
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }
}
