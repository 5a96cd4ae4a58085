// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Pipeline
internal import Recipes
internal import Synchronization

/// A rendition and its bytes, as a cached answer keeps them alive.
///
/// Not the cached answer itself, because every retain of an object that weak references point to is a slow one, and a
/// cached answer is retained for each answer.
///
/// **Isolation:** immutable.
final class NearBody: Sendable {
    let rendition: Rendition
    let body: Body

    init(rendition: Rendition, body: Body) {
        self.rendition = rendition
        self.body = body
    }
}

/// Finds a rendition that is in memory by its key, so that two spellings of one picture, or one picture before and
/// after its original was refreshed, share its bytes. It keeps nothing alive: the memory cache alone decides what stays.
///
/// **Isolation:** a `Mutex`, asked only on the way that waits, and while there is too much to do.
final class NearBodies: Sendable {
    private struct Reference: Sendable {
        weak var body: NearBody?
    }

    private struct State: Sendable {
        var references: [RenditionKey: Reference] = [:]
        var sweepAt = 1024
    }

    private let state = Mutex(State())

    func find(_ key: RenditionKey) -> NearBody? {
        state.withLock { $0.references[key]?.body }
    }

    func insert(_ body: NearBody) {
        state.withLock { state in
            state.references[body.rendition.key] = Reference(body: body)
            guard state.references.count >= state.sweepAt else { return }
            state.references = state.references.filter { $0.value.body != nil }
            // Twice what is alive: the sweeps cost one look at each entry that is inserted.
            state.sweepAt = max(1024, state.references.count * 2)
        }
    }
}
