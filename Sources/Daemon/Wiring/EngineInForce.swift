// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The engine that renditions are keyed by. The first decoder names it, and another takes over when a zygote that is launched
/// after an upgrade of the libraries has another.
///
/// **Isolation:** a `Mutex`, which is held while the follower takes an engine over, so that none is missed and the last one
/// stays. The follower must not wait.
final class EngineInForce: Sendable {
    private struct State {
        /// Empty before a decoder has named it.
        var name = ""
        var follower: (@Sendable (String) -> Void)?
    }

    private let state = Mutex(State())

    /// Names and versions, as the decoders announce them.
    var name: String { state.withLock { $0.name } }

    /// As the first decoder's handshake says. One that has taken over meanwhile stays.
    func begin(with name: String) {
        state.withLock { state in
            if state.name.isEmpty { state.name = name }
        }
    }

    /// Makes this engine the one in force.
    func become(_ name: String) {
        state.withLock { state in
            state.name = name
            state.follower?(name)
        }
    }

    /// Tells the engine of this moment, and each one that takes over.
    func follow(_ follower: @escaping @Sendable (String) -> Void) {
        state.withLock { state in
            state.follower = follower
            follower(state.name)
        }
    }
}
