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
final class RenditionBody: Sendable {
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
/// The table has many parts, because weak references are slow to move: in one table with 200,000 alive, dropping the dead ones took
/// 0.3 s, and growing the table half of that, while event loops waited.
///
/// **Isolation:** a `Mutex` for each part; used by tasks that may wait, and on event loops for answers at hand and under overload.
final class WeakRenditionBodies: Sendable {
    private struct Reference: Sendable {
        weak var body: RenditionBody?
    }

    private final class Part: Sendable {
        struct State: Sendable {
            var references: [RenditionKey: Reference] = [:]
            var sweepAt = Part.leastSweep
        }

        static let leastSweep = 16
        let state = Mutex(State())
    }

    private static let count = 256
    private let parts = (0..<WeakRenditionBodies.count).map { _ in Part() }

    /// The number of references in each part, dead ones included.
    var sizes: [Int] { parts.map { $0.state.withLock { $0.references.count } } }

    func find(_ key: RenditionKey) -> RenditionBody? {
        part(of: key).state.withLock { $0.references[key]?.body }
    }

    func insert(_ body: RenditionBody) {
        part(of: body.rendition.key).state.withLock { state in
            state.references[body.rendition.key] = Reference(body: body)
            guard state.references.count >= state.sweepAt else { return }
            state.references = state.references.filter { $0.value.body != nil }
            // Twice the number alive, so that sweeping costs one look per insertion.
            state.sweepAt = max(Part.leastSweep, state.references.count * 2)
        }
    }

    private func part(of key: RenditionKey) -> Part { parts[key.hashValue & (Self.count - 1)] }
}
