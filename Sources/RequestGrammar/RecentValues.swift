// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Values under what they were computed from, for those that are asked for again and again.
///
/// Two generations in place of a list by use: a value that is found in the old one moves to the young one, and when
/// the young one is full, the old one is dropped. So at most twice `generation` are held, and those in use stay.
///
/// **Isolation:** a `Mutex`, held for a look-up or an insertion.
package final class RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Generations: Sendable {
        var young: [Key: Value] = [:]
        var old: [Key: Value] = [:]
    }

    private let generation: Int
    private let state = Mutex(Generations())

    /// Holds twice so many values at most.
    package init(generation: Int) { self.generation = generation }

    /// The number of values held.
    package var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// The value of a key, which counts as used; nil if none is held.
    package subscript(key: Key) -> Value? {
        state.withLock { generations in
            if let value = generations.young[key] { return value }
            guard let value = generations.old.removeValue(forKey: key) else { return nil }
            insert(value, for: key, in: &generations)
            return value
        }
    }

    /// Replaces the value of the key.
    package func insert(_ value: Value, for key: Key) {
        state.withLock { insert(value, for: key, in: &$0) }
    }

    private func insert(_ value: Value, for key: Key, in generations: inout Generations) {
        if generations.young.count >= generation {
            generations.old = generations.young
            generations.young = [:]
        }
        generations.young[key] = value
    }
}
