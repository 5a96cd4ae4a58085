// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Priority inheritance: the class of a piece of work under way is the highest class of the requests that
/// want it.
///
/// It never falls, so the order of two raises does not matter, and work keeps its class when the client that
/// raised it has left.
///
/// **Isolation:** a `Mutex`, never held while the listener is called.
package final class LivePriority: Sendable {
    private struct State {
        var value: Priority
        var listener: (@Sendable (Priority) -> Void)?
    }

    private let state: Mutex<State>

    /// Starts without a listener.
    package init(_ value: Priority) { state = Mutex(State(value: value)) }

    /// The class at present.
    package var value: Priority { state.withLock(\.value) }

    /// Raises the class and tells the listener; does nothing for a lower class.
    package func raise(to value: Priority) {
        let listener: (@Sendable (Priority) -> Void)? = state.withLock { state in
            guard value > state.value else { return nil }
            state.value = value
            return state.listener
        }
        listener?(value)
    }

    /// Sets the listener for later raises; read `value` afterwards for earlier ones.
    func listen(_ listener: @escaping @Sendable (Priority) -> Void) {
        state.withLock { $0.listener = listener }
    }

    func stopListening() { state.withLock { $0.listener = nil } }
}
