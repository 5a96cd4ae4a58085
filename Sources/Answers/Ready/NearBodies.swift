// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Pipeline
internal import Recipes
internal import Synchronization

/// A rendition and its bytes, which a cached answer keeps alive.
///
/// A separate object, because retaining an object with weak references is slow, and a cached answer is
/// retained for each answer.
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

/// Weak references to renditions in memory, by key, so that two spellings of one picture share their bytes,
/// as does one picture before and after its original was refreshed. They keep nothing alive: only the memory
/// cache decides what stays.
///
/// **Isolation:** a `Mutex`; used by tasks that may wait, and under overload.
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
            // Twice the number alive, so that sweeping costs one look per insertion.
            state.sweepAt = max(1024, state.references.count * 2)
        }
    }
}
