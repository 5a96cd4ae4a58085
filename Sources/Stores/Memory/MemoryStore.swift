// SPDX-License-Identifier: Apache-2.0

package import Bytes

/// The memory cache: values by the exact bytes of a key, the least recently used leave first.
///
/// Keys are plain bytes so that an event loop can look up a request target where it lies in its read buffer; a
/// digest's 32 bytes are a key like any other. They are hashed with the process's own random key (`Hasher`,
/// SipHash), because clients choose them.
///
/// Values are references, so that a hit costs one retain, whatever the value holds.
///
/// Recency is exact within a shard. A store that must bound how *many* values it holds (open files), and not how
/// many bytes, is a store of its own that measures entries.
///
/// **Isolation:** a `Mutex` per shard, never held across `await`, nor while a value is freed.
package final class MemoryStore<Value: AnyObject & Sendable>: Sendable {
    package enum Measure: Sendable {
        /// Entries cost what the caller says, plus their key and `entryOverhead`.
        case bytes
        /// Each entry costs 1.
        case entries
    }

    package enum Insertion: Sendable, Hashable {
        case kept
        /// Larger than `largestEntry`; what the key had before is gone.
        case refused
    }

    /// Bytes of an entry besides its value and its key: the slot (48), two index cells
    /// and the allocator's share for the key.
    package static var entryOverhead: Int { 96 }

    /// The highest cost that is kept: a quarter of a shard, so that one giant does not sweep a shard empty.
    package let largestEntry: Int

    private let measure: Measure
    private let shards: Shards<MemoryShard>

    /// `budget` is shared out evenly among the shards; each evicts for itself.
    package init(budget: Int, measure: Measure = .bytes, shards count: Int = 8) {
        shards = Shards(count: count) { MemoryShard(capacity: max(0, budget) / $0) }
        self.measure = measure
        largestEntry = measure == .bytes ? max(0, budget) / shards.count / 4 : 1
    }

    /// Finds a value and makes it the most recently used of its shard. Allocates nothing.
    package func value(for key: UnsafeRawBufferPointer) -> Value? {
        let hash = Self.hash(key)
        let found = shards.withLock(hash: hash) { $0.touch(key, UInt32(truncatingIfNeeded: hash)) }
        // Cannot trap: only `insert` puts values in.
        return found.map { unsafeDowncast($0, to: Value.self) }
    }

    /// `cost` is the value's own, in bytes.
    @discardableResult
    package func insert(_ value: Value, for key: UnsafeRawBufferPointer, cost: Int) -> Insertion {
        let hash = Self.hash(key)
        let half = UInt32(truncatingIfNeeded: hash)
        let whole = measure == .bytes ? cost + key.count + Self.entryOverhead : 1
        let isKept = whole <= largestEntry
        // What leaves comes out of the lock, and is freed here.
        _ = shards.withLock(hash: hash) {
            isKept ? $0.insert(value, for: key, half, cost: whole) : $0.refuse(key, half)
        }
        return isKept ? .kept : .refused
    }

    package func remove(_ key: UnsafeRawBufferPointer) {
        let hash = Self.hash(key)
        _ = shards.withLock(hash: hash) { $0.remove(key, UInt32(truncatingIfNeeded: hash)) }
    }

    /// Looks at every entry, a shard at a time; returns how many left.
    @discardableResult
    package func remove(where condition: (UnsafeRawBufferPointer, Value) -> Bool) -> Int {
        (0..<shards.count).reduce(0) { sum, index in
            sum
                + shards.withLock(at: index) { shard in
                    // Cannot trap: only `insert` puts values in.
                    shard.remove { condition($0, unsafeDowncast($1, to: Value.self)) }
                }.count
        }
    }

    package func removeAll() { remove { _, _ in true } }

    package var statistics: MemoryStatistics {
        (0..<shards.count).reduce(into: MemoryStatistics()) { sum, shard in
            sum.add(shards.withLock(at: shard) { $0.statistics })
        }
    }

    private static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: key)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}

extension MemoryStore {
    package func value(for digest: Digest) -> Value? {
        withUnsafeBytes(of: digest.words) { value(for: $0) }
    }

    @discardableResult
    package func insert(_ value: Value, for digest: Digest, cost: Int) -> Insertion {
        withUnsafeBytes(of: digest.words) { insert(value, for: $0, cost: cost) }
    }

    package func remove(_ digest: Digest) {
        withUnsafeBytes(of: digest.words) { remove($0) }
    }
}

/// Counted since the store was made, except `entries` and `cost`, which are of this moment.
package struct MemoryStatistics: Sendable, Hashable {
    package internal(set) var entries = 0
    /// Bytes, or entries again in a store that measures those.
    package internal(set) var cost = 0
    package internal(set) var hits = 0
    package internal(set) var misses = 0
    package internal(set) var evictions = 0
    package internal(set) var refused = 0

    mutating func add(_ other: MemoryStatistics) {
        entries += other.entries
        cost += other.cost
        hits += other.hits
        misses += other.misses
        evictions += other.evictions
        refused += other.refused
    }
}
