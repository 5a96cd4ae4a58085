// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A value that arrives once and is waited for by at most one task.
///
/// What may come in any order becomes harmless here: settling before anybody waits, settling twice, settling while
/// the waiter is being cancelled. The first value counts, and the continuation is resumed exactly once, outside the
/// lock, since what runs on resumption may want the lock again.
///
/// **Isolation:** a `Mutex`, never held while a continuation is resumed.
package final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        /// Leaves by a value (`settled`) or by somebody who waits (`waiting`).
        case empty
        /// Leaves by a value.
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

    /// Waits for the value. Whoever must not wait on after a cancellation settles the shot from its handler.
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
                    // Cannot trap: whoever makes one waits for it, once.
                    preconditionFailure("A one-shot value has one waiter: its maker.")
                }
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }
}
