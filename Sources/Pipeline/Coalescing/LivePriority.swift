// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The class of a piece of work while it is under way: the highest class of the requests that want it.
///
/// It never falls. So the order in which two raises arrive does not matter, and work keeps its class when the client that
/// raised it has left.
///
/// **Isolation:** a `Mutex`, never held while the listener is called.
package final class LivePriority: Sendable {
    private struct State {
        var value: Priority
        var listener: (@Sendable (Priority) -> Void)?
    }

    private let state: Mutex<State>

    package init(_ value: Priority) { state = Mutex(State(value: value)) }

    package var value: Priority { state.withLock(\.value) }

    package func raise(to value: Priority) {
        let listener: (@Sendable (Priority) -> Void)? = state.withLock { state in
            guard value > state.value else { return nil }
            state.value = value
            return state.listener
        }
        listener?(value)
    }

    /// From here on the listener hears of every raise. Earlier raises are in `value`, to be read afterwards.
    func listen(_ listener: @escaping @Sendable (Priority) -> Void) {
        state.withLock { $0.listener = listener }
    }

    func stopListening() { state.withLock { $0.listener = nil } }
}
