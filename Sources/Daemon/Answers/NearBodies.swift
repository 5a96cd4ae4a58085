// SPDX-License-Identifier: Apache-2.0

internal import ImageModel
internal import Pipeline
internal import Synchronization

/// Finds a rendition that is in memory by its key, so that two spellings of one picture, or one picture before and
/// after its original was refreshed, share its bytes. It keeps nothing alive: the near shelf alone decides what stays.
///
/// **Isolation:** a `Mutex`, asked only on the way that waits.
final class NearBodies: Sendable {
    private struct Reference: Sendable {
        weak var shortcut: Shortcut?
    }

    private struct State: Sendable {
        var references: [RenditionKey: Reference] = [:]
        var sweepAt = 1024
    }

    private let state = Mutex(State())

    func find(_ key: RenditionKey) -> Shortcut? {
        state.withLock { $0.references[key]?.shortcut }
    }

    func insert(_ shortcut: Shortcut) {
        state.withLock { state in
            state.references[shortcut.rendition.key] = Reference(shortcut: shortcut)
            guard state.references.count >= state.sweepAt else { return }
            state.references = state.references.filter { $0.value.shortcut != nil }
            // Twice what is alive: the sweeps cost one look at each entry that is inserted.
            state.sweepAt = max(1024, state.references.count * 2)
        }
    }
}
