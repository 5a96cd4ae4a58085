// SPDX-License-Identifier: Apache-2.0

/// The bytes of a key with their hash, so that several stores can be asked with one hash. Valid as long as the bytes.
package struct MemoryKey {
    let bytes: UnsafeRawBufferPointer
    let hash: UInt64

    /// Hashes the bytes with the process's random key.
    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        hash = UInt64(truncatingIfNeeded: hasher.finalize())
    }

    /// The part of the hash that is compared within a shard.
    var half: UInt32 { UInt32(truncatingIfNeeded: hash) }
}

/// A sharded LRU cache in memory: it finds values by the exact bytes of a key.
///
/// Keys are plain bytes, so that an event loop can look up a request target in its read buffer. They are hashed with the process's
/// random key (`Hasher`, SipHash), because clients choose them.
///
/// Values are references, so that a hit costs one retain, whatever the value's size.
///
/// The order of use is exact within a shard. To limit the *number* of values (open files) instead of their bytes, a store
/// measures entries.
///
/// **Isolation:** a `Mutex` per shard, never held across `await`, nor while a value is freed.
package final class MemoryStore<Value: AnyObject & Sendable>: Sendable {
    /// What costs and the budget measure.
    package enum Measure: Sendable {
        /// Bytes: the cost that the caller gives, plus the key and `entryOverhead`.
        case bytes
        /// Entries: each costs 1.
        case entries
    }

    /// The result of an insertion.
    package enum Insertion: Sendable, Hashable {
        case kept
        /// The value costs more than `largestEntry`; the key's old value is removed nevertheless.
        case refused
    }

    /// Bytes of an entry besides its value and its key: the slot (48), two index cells, and the allocator's overhead for the key.
    package static var entryOverhead: Int { 96 }

    /// The highest cost that is kept: a quarter of a shard, so that one entry does not evict the whole shard.
    package let largestEntry: Int

    private let measure: Measure
    private let shards: Shards<MemoryShard>

    /// Divides `budget` evenly among the shards; each shard evicts on its own.
    package init(budget: Int, measure: Measure = .bytes, shards count: Int = 8) {
        shards = Shards(count: count) { MemoryShard(capacity: max(0, budget) / $0) }
        self.measure = measure
        largestEntry = measure == .bytes ? max(0, budget) / shards.count / 4 : 1
    }

    /// The value of a key, which becomes the most recently used of its shard; nil if there is none. Allocates
    /// nothing.
    package func value(for key: MemoryKey) -> Value? {
        let found = shards.withLock(hash: key.hash) { $0.touch(key.bytes, key.half) }
        // Cannot trap: only `insert` adds values.
        return found.map { unsafeDowncast($0, to: Value.self) }
    }

    /// Inserts a value, replacing the key's old one. `cost` is the value's own, in bytes.
    @discardableResult
    package func insert(_ value: Value, for key: MemoryKey, cost: Int) -> Insertion {
        let whole = measure == .bytes ? cost + key.bytes.count + Self.entryOverhead : 1
        let isKept = whole <= largestEntry
        // Removed values are returned from the lock, and freed here.
        _ = shards.withLock(hash: key.hash) {
            isKept
                ? $0.insert(value, for: key.bytes, key.half, cost: whole) : $0.refuse(key.bytes, key.half)
        }
        return isKept ? .kept : .refused
    }

    /// Removes the key's value, if there is one.
    package func remove(_ key: MemoryKey) {
        _ = shards.withLock(hash: key.hash) { $0.remove(key.bytes, key.half) }
    }

    /// Removes the entries that match, and returns their number. Scans the entries in slices, so that no look-up waits for the
    /// whole scan. Entries that are inserted meanwhile may be missed.
    @discardableResult
    package func remove(where condition: (UnsafeRawBufferPointer, Value) -> Bool) -> Int {
        scan { shard, start in
            // Cannot trap: only `insert` adds values.
            shard.remove(from: start) { condition($0, unsafeDowncast($1, to: Value.self)) }
        } counting: {
            $0.count
        }
    }

    /// The number of entries that match. Scans as `remove(where:)` does; does not count as a use of the entries.
    package func count(where condition: (UnsafeRawBufferPointer, Value) -> Bool) -> Int {
        scan { shard, start in
            // Cannot trap: only `insert` adds values.
            shard.count(from: start) { condition($0, unsafeDowncast($1, to: Value.self)) }
        } counting: {
            $0
        }
    }

    /// Calls `look` for each slice of each shard, under the shard's lock. Sums up the results, and frees found values after the lock is
    /// released.
    private func scan<Found: Sendable>(
        _ look: (inout MemoryShard, _ start: Int) -> (found: Found, next: Int?), counting: (Found) -> Int
    ) -> Int {
        var sum = 0
        for index in 0..<shards.count {
            var start: Int? = 0
            while let from = start {
                let (found, next) = shards.withLock(at: index) { look(&$0, from) }
                sum += counting(found)
                start = next
            }
        }
        return sum
    }

    /// Removes every entry.
    package func removeAll() { remove { _, _ in true } }

    /// The sum over all shards, each at its own moment.
    package var statistics: MemoryStatistics {
        (0..<shards.count).reduce(into: MemoryStatistics()) { sum, shard in
            sum.add(shards.withLock(at: shard) { $0.statistics })
        }
    }
}

extension MemoryStore {
    /// As `value(for:)` with the hash of these bytes.
    package func value(for key: UnsafeRawBufferPointer) -> Value? { value(for: MemoryKey(key)) }

    /// As `insert(_:for:cost:)` with the hash of these bytes.
    @discardableResult
    package func insert(_ value: Value, for key: UnsafeRawBufferPointer, cost: Int) -> Insertion {
        insert(value, for: MemoryKey(key), cost: cost)
    }

    /// As `remove(_:)` with the hash of these bytes.
    package func remove(_ key: UnsafeRawBufferPointer) { remove(MemoryKey(key)) }
}
