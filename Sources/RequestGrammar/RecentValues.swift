// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// Recently computed values, by the inputs that they were computed from.
///
/// Two generations replace a list in order of use: a value found in the old generation moves to the young one, and when the young one
/// is full, the old one is dropped. So at most twice `generation` values are held, and those in use stay.
///
/// Inlinable, so that look-ups are specialised for their keys in other modules as well. The class is `@usableFromInline` too, because
/// members of other classes are not inlined into other modules.
///
/// **Isolation:** a `Mutex`, held for a look-up or an insertion.
@usableFromInline package final class RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline struct Generations: Sendable {
        @usableFromInline var young: [Key: Value] = [:]
        @usableFromInline var old: [Key: Value] = [:]

        @inlinable init() {}
    }

    @usableFromInline let generation: Int
    @usableFromInline let state: Mutex<Generations>

    /// - Parameter generation: values in one generation; at most twice as many are held.
    @inlinable package init(generation: Int) {
        self.generation = generation
        state = Mutex(Generations())
    }

    /// The number of values held.
    package var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// The value of a key, which counts as used by that; nil if none is held.
    @inlinable package subscript(key: Key) -> Value? {
        state.withLock { generations in
            if let value = generations.young[key] { return value }
            guard let value = generations.old.removeValue(forKey: key) else { return nil }
            insert(value, for: key, in: &generations)
            return value
        }
    }

    /// Replaces the value of the key.
    @inlinable package func insert(_ value: Value, for key: Key) {
        state.withLock { insert(value, for: key, in: &$0) }
    }

    @inlinable func insert(_ value: Value, for key: Key, in generations: inout Generations) {
        if generations.young.count >= generation {
            generations.old = generations.young
            generations.young = [:]
        }
        generations.young[key] = value
    }
}
