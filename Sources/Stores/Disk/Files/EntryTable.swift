// SPDX-License-Identifier: Apache-2.0

/// An entry of a table: metadata of fixed size about one file or name.
protocol TableEntry: Sendable {
    associatedtype Key: Sendable, Hashable
    var key: Key { get }
    /// Seconds since 1970 of the last access.
    var accessed: UInt32 { get set }
    /// The access time that the row on the disk has.
    var recorded: UInt32 { get set }
}

/// A hash table in memory: entries packed in arrays, found by hash, sampled at random for eviction.
///
/// An entry costs its own size and about 13 bytes of index, plus the free space that the arrays' doubling
/// leaves.
///
/// **Isolation:** a `Mutex` per shard, held for one entry's change or one shard's scan, never across a call that waits, or
/// `await`.
final class EntryTable<Entry: TableEntry>: Sendable {
    private struct Shard: Sendable {
        var entries: ContiguousArray<Entry> = []
        var index = SlotIndex()
    }

    /// Seconds by which clocks may be set back in normal operation.
    private static var clockStep: UInt32 { 60 }

    private let shards: Shards<Shard>

    init(shards count: Int = 16) { shards = Shards(count: count) { _ in Shard() } }

    var shardCount: Int { shards.count }
    var count: Int {
        (0..<shards.count).reduce(0) { sum, shard in sum + shards.withLock(at: shard) { $0.entries.count } }
    }

    /// Allocates room for so many entries.
    func reserve(_ count: Int) {
        // Hashes spread the entries unevenly, by a few hundred of 60,000.
        // Cannot trap: there is at least one shard.
        let share = count / shards.count + count / shards.count / 32
        for shard in 0..<shards.count {
            shards.withLock(at: shard) { shard in
                shard.entries.reserveCapacity(share)
                shard.index.reserve(share)
            }
        }
    }

    /// Inserts many entries, locking each shard once. `combine` merges an entry with the one that is already
    /// there.
    func insert(_ batch: ContiguousArray<Entry>, combine: (_ held: Entry, _ new: Entry) -> Entry) {
        let hashes = batch.map { Self.hash($0.key) }
        for number in 0..<shards.count {
            shards.withLock(at: number) { shard in
                for (entry, hash) in zip(batch, hashes) where shards.index(ofHash: hash.whole) == number {
                    if let slot = shard.index.find(hash.half, { shard.entries[$0].key == entry.key }) {
                        shard.entries[slot] = combine(shard.entries[slot], entry)
                    } else {
                        shard.index.insert(hash.half, slot: shard.entries.count)
                        shard.entries.append(entry)
                    }
                }
            }
        }
    }

    subscript(key: Entry.Key) -> Entry? { update(key) { $0 } }

    /// Passes the entry of a key (nil if there is none) to `change`, and stores the result; nil removes the entry.
    func update<Result: Sendable>(_ key: Entry.Key, _ change: (inout Entry?) -> Result) -> Result {
        let (hash, half) = Self.hash(key)
        return shards.withLock(hash: hash) { shard in
            let slot = shard.index.find(half) { shard.entries[$0].key == key }
            var entry = slot.map { shard.entries[$0] }
            let result = change(&entry)
            switch (slot, entry) {
            case (let slot?, let entry?): shard.entries[slot] = entry
            case (nil, let entry?):
                shard.index.insert(half, slot: shard.entries.count)
                shard.entries.append(entry)
            case (let slot?, nil): Self.remove(slot, half, from: &shard)
            case (nil, nil): break
            }
            return result
        }
    }

    /// Sets the access time of an entry to `moment`, in seconds since 1970. `isLate` is true if the row on
    /// disk is late by `precision` seconds and must be written.
    func touch(_ key: Entry.Key, at moment: UInt32, precision: UInt32) -> (entry: Entry?, isLate: Bool) {
        update(key) { entry in
            guard var touched = entry else { return (nil, false) }
            touched.accessed = moment
            // The difference counts in both directions, because after the clock was set back a row must not keep a time in the
            // future.
            let isLate = max(moment, touched.recorded) - min(moment, touched.recorded) >= precision
            if isLate { touched.recorded = moment }
            entry = touched
            return (touched, isLate)
        }
    }

    /// Sampled LRU: the least recently used of `draws` entries drawn at random; nil only if the table is empty.
    func oldest(of draws: Int, at moment: UInt32, using random: inout SplitMix64) -> Entry? {
        var oldest: Entry?
        for _ in 0..<draws {
            guard let drawn = draw(using: &random) else { break }
            let isOlder = oldest.map { Self.age(drawn, at: moment) > Self.age($0, at: moment) }
            if isOlder ?? true { oldest = drawn }
        }
        return oldest
    }

    /// Seconds since the last access. An access far in the future, from before the clock was set back, counts
    /// as the oldest; otherwise the entry would stay until the clock has caught up.
    private static func age(_ entry: Entry, at moment: UInt32) -> UInt32 {
        if entry.accessed <= moment { return moment - entry.accessed }
        return entry.accessed - moment > clockStep ? .max : 0
    }

    private func draw(using random: inout SplitMix64) -> Entry? {
        let number = random.next()
        for offset in 0..<shards.count {
            // The high half selects the shard, or the next one that is not empty; the low half selects the
            // entry.
            let shard = Int(truncatingIfNeeded: number >> 32) &+ offset
            let found = shards.withLock(at: shard & (shards.count - 1)) { shard -> Entry? in
                let count = shard.entries.count
                return count > 0 ? shard.entries[Int(UInt32(truncatingIfNeeded: number)) % count] : nil
            }
            if let found { return found }
        }
        return nil
    }

    /// All entries. The entries of a shard are copied when the iteration reaches it, so that no lock is held meanwhile.
    var entries: some Sequence<Entry> {
        // A stride is used because a range would make this a collection, whose count others change meanwhile.
        stride(from: 0, to: shards.count, by: 1).lazy.flatMap { [self] shard in entries(ofShard: shard) }
    }

    /// A copy of one shard's entries.
    func entries(ofShard shard: Int) -> ContiguousArray<Entry> { shards.withLock(at: shard) { $0.entries } }

    private static func remove(_ slot: Int, _ half: UInt32, from shard: inout Shard) {
        let last = shard.entries.count - 1
        shard.index.remove(half, slot: slot)
        if slot != last {
            // The last entry fills the gap, so that the array stays packed.
            shard.index.move(hash(shard.entries[last].key).half, from: last, to: slot)
            shard.entries[slot] = shard.entries[last]
        }
        // Cannot trap: the removed entry is in the array.
        shard.entries.removeLast()
    }

    /// The hash is seeded for each process, because clients can choose the keys' contents.
    private static func hash(_ key: Entry.Key) -> (whole: UInt64, half: UInt32) {
        var hasher = Hasher()
        hasher.combine(key)
        let hash = UInt64(truncatingIfNeeded: hasher.finalize())
        return (hash, UInt32(truncatingIfNeeded: hash))
    }
}
