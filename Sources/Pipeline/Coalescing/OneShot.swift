// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A one-shot promise: a value that arrives once, for which at most one task waits.
///
/// Events may come in any order: settling before the wait, settling twice, settling during a cancellation.
/// The first value counts. The continuation is resumed exactly once, outside of the lock, because the resumed
/// code may want the lock.
///
/// **Isolation:** a `Mutex`, never held while a continuation is resumed.
package final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        /// Leads to `settled`, or to `waiting`.
        case empty
        /// Leads to `settled`.
        case waiting(CheckedContinuation<Value, Never>)
        case settled(Value)
    }

    private let state = Mutex(State.empty)

    /// A one-shot without a value.
    package init() {}

    /// Stores the first value and resumes the waiter; ignores later values.
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

    /// Waits for the value; a cancellation settles the shot with another. Must be called once.
    func value(ifCancelled other: Value) async -> Value {
        await withTaskCancellationHandler {
            await value()
        } onCancel: {
            settle(other)
        }
    }

    /// Waits for the value, also through a cancellation. A caller that must not wait longer settles the one-shot from its
    /// cancellation handler. Must be called once.
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
