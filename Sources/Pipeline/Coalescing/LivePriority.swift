// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Priority inheritance: the class of a piece of work under way is the highest class of the requests that
/// want it, and it may take the turn of any client that does.
///
/// The class never falls, so the order of two raises does not matter, and work keeps its class when the client that
/// raised it has left.
///
/// **Isolation:** a `Mutex`, never held while the listener is called.
package final class LivePriority: Sendable {
    private struct State {
        var value: Priority
        var joined: [Asker] = []
        var listener: Listener?
    }

    typealias Listener = @Sendable (_ value: Priority, _ joined: Asker?) -> Void

    /// The clients that are remembered: in a crowd, a few show whether any client has an earlier turn.
    private static let mostJoined = 8

    private let state: Mutex<State>

    /// Starts without a listener.
    package init(_ value: Priority) { state = Mutex(State(value: value)) }

    /// The class at present.
    package var value: Priority { state.withLock(\.value) }

    /// The clients that joined, a few of the first ones, each once.
    var joined: [Asker] { state.withLock(\.joined) }

    /// Raises the class and tells the listener; does nothing for a lower class.
    /// - Parameter joined: a client that wants the work from now on; nil if clients are not told apart.
    package func raise(to value: Priority, for joined: Asker? = nil) {
        let told: (Listener, Priority)? = state.withLock { state in
            guard value > state.value || joined != nil else { return nil }
            state.value = max(state.value, value)
            if let joined, state.joined.count < Self.mostJoined, !state.joined.contains(joined) {
                state.joined.append(joined)
            }
            return state.listener.map { ($0, state.value) }
        }
        if let (listener, value) = told { listener(value, joined) }
    }

    /// Sets the listener for later raises; read `value` and `joined` afterwards for earlier ones.
    func listen(_ listener: @escaping Listener) {
        state.withLock { $0.listener = listener }
    }

    func stopListening() { state.withLock { $0.listener = nil } }
}
