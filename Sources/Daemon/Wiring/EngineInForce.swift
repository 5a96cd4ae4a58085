// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The name of the engine, which is part of the renditions' keys. The first decoder announces it; if the libraries are upgraded,
/// a newly launched zygote has another engine, which takes over.
///
/// **Isolation:** a `Mutex`, which is held while the follower is called, so that the follower misses no engine and sees the last
/// one last. The follower must not wait.
final class EngineInForce: Sendable {
    private struct State {
        /// Empty before a decoder has announced it.
        var name = ""
        var follower: (@Sendable (String) -> Void)?
    }

    private let state = Mutex(State())

    /// The names and versions of the libraries, as the decoders announce them.
    var name: String { state.withLock { $0.name } }

    /// Sets the engine from the first decoder's handshake, unless another has taken over already.
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

    /// Calls the follower with the present engine, and again with each one that takes over.
    func follow(_ follower: @escaping @Sendable (String) -> Void) {
        state.withLock { state in
            state.follower = follower
            follower(state.name)
        }
    }
}
