// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Weak references to objects that cached answers keep alive, by key. The table keeps nothing alive: only the memory cache decides
/// what stays.
///
/// The table has many parts, because weak references are slow to move: in one table with 200,000 alive, dropping the dead ones took
/// 0.3 s, and growing the table half of that, while event loops waited.
///
/// **Isolation:** a `Mutex` for each part; used by tasks that may wait, and on event loops for answers at hand and under overload.
final class WeakTable<Key: Hashable & Sendable, Object: AnyObject & Sendable>: Sendable {
    private struct Reference: Sendable {
        weak var object: Object?
    }

    private struct State: Sendable {
        var references: [Key: Reference] = [:]
        var sweepAt = leastSweep

        mutating func insert(_ object: Object, for key: Key) {
            references[key] = Reference(object: object)
            guard references.count >= sweepAt else { return }
            references = references.filter { $0.value.object != nil }
            // Twice the number alive, so that sweeping costs one look per insertion.
            sweepAt = max(leastSweep, references.count * 2)
        }
    }

    private final class Part: Sendable {
        let state = Mutex(State())
    }

    private let parts = (0..<partCount).map { _ in Part() }

    /// The number of references in each part, dead ones included.
    var sizes: [Int] { parts.map { $0.state.withLock { $0.references.count } } }

    func find(_ key: Key) -> Object? { part(of: key).state.withLock { $0.references[key]?.object } }

    func insert(_ object: Object, for key: Key) {
        part(of: key).state.withLock { $0.insert(object, for: key) }
    }

    /// The object of a key; a new one if there is none.
    func object(for key: Key, orInsert make: () -> Object) -> Object {
        part(of: key).state.withLock { state in
            if let held = state.references[key]?.object { return held }
            let made = make()
            state.insert(made, for: key)
            return made
        }
    }

    private func part(of key: Key) -> Part { parts[key.hashValue & (partCount - 1)] }
}

private let leastSweep = 16
private let partCount = 256
