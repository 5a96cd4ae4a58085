// SPDX-License-Identifier: Apache-2.0

/// Fixed-size facts about one thing on disk.
protocol TableEntry: Sendable {
    associatedtype Key: Sendable, Hashable
    var key: Key { get }
    /// Seconds since 1970: when it was last asked for.
    var accessed: UInt32 { get set }
    /// The same as far as the row on disk knows.
    var recorded: UInt32 { get set }
}

/// A table in memory: entries packed in arrays, found by hash, drawn at random for eviction.
///
/// An entry costs its own size and about 13 bytes of index, times what the arrays' doubling leaves free.
///
/// **Isolation:** a `Mutex` per shard, held for one entry's change or for one shard's scan, never across a system
/// call or `await`.
final class EntryTable<Entry: TableEntry>: Sendable {
    private struct Shard: Sendable {
        var entries: ContiguousArray<Entry> = []
        var index = SlotIndex()
    }

    /// Seconds by which a clock may go back in everyday life.
    private static var clockStep: UInt32 { 60 }

    private let shards: Shards<Shard>

    init(shards count: Int = 16) { shards = Shards(count: count) { _ in Shard() } }

    var shardCount: Int { shards.count }
    var count: Int {
        (0..<shards.count).reduce(0) { sum, shard in sum + shards.withLock(at: shard) { $0.entries.count } }
    }

    /// Makes room for so many entries without growing.
    func reserve(_ count: Int) {
        // Hashes spread them unevenly, by a few hundred of 60,000.
        // Cannot trap: there is one shard at least.
        let share = count / shards.count + count / shards.count / 32
        for shard in 0..<shards.count {
            shards.withLock(at: shard) { shard in
                shard.entries.reserveCapacity(share)
                shard.index.reserve(share)
            }
        }
    }

    /// Puts many entries in, with each shard locked once. `combine` makes one of what is held and what comes.
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

    /// Shows the entry (nil: there is none) and takes what is made of it (nil: there shall be none).
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

    /// Marks an entry as asked for now, in seconds since 1970. `isLate`: the row on disk is `precision` seconds late
    /// and is to be written.
    func touch(_ key: Entry.Key, at moment: UInt32, precision: UInt32) -> (entry: Entry?, isLate: Bool) {
        update(key) { entry in
            guard var touched = entry else { return (nil, false) }
            touched.accessed = moment
            // In either direction: a row must not go on telling of a future that the clock was set back from.
            let isLate = max(moment, touched.recorded) - min(moment, touched.recorded) >= precision
            if isLate { touched.recorded = moment }
            entry = touched
            return (touched, isLate)
        }
    }

    /// The longest unused of some entries drawn at random; nil only when the table is empty.
    func oldest(of draws: Int, at moment: UInt32, using random: inout SplitMix64) -> Entry? {
        var oldest: Entry?
        for _ in 0..<draws {
            guard let drawn = draw(using: &random) else { break }
            let isOlder = oldest.map { Self.age(drawn, at: moment) > Self.age($0, at: moment) }
            if isOlder ?? true { oldest = drawn }
        }
        return oldest
    }

    /// Seconds since it was asked for. What was asked for well in the future, before the clock was set back, is older
    /// than everything since, or it would stay until the clock is there again.
    private static func age(_ entry: Entry, at moment: UInt32) -> UInt32 {
        if entry.accessed <= moment { return moment - entry.accessed }
        return entry.accessed - moment > clockStep ? .max : 0
    }

    private func draw(using random: inout SplitMix64) -> Entry? {
        let number = random.next()
        for offset in 0..<shards.count {
            // The high half draws the shard, or the next one that is not empty; the low half draws in it.
            let shard = Int(truncatingIfNeeded: number >> 32) &+ offset
            let found = shards.withLock(at: shard & (shards.count - 1)) { shard -> Entry? in
                let count = shard.entries.count
                return count > 0 ? shard.entries[Int(UInt32(truncatingIfNeeded: number)) % count] : nil
            }
            if let found { return found }
        }
        return nil
    }

    /// One shard's entries at this moment.
    func entries(ofShard shard: Int) -> ContiguousArray<Entry> { shards.withLock(at: shard) { $0.entries } }

    private static func remove(_ slot: Int, _ half: UInt32, from shard: inout Shard) {
        let last = shard.entries.count - 1
        shard.index.remove(half, slot: slot)
        if slot != last {
            // The last entry fills the hole, so that the array stays packed.
            shard.index.move(hash(shard.entries[last].key).half, from: last, to: slot)
            shard.entries[slot] = shard.entries[last]
        }
        // Cannot trap: the one to remove is in it.
        shard.entries.removeLast()
    }

    /// Keyed anew for each process, because clients can choose what the keys are made of.
    private static func hash(_ key: Entry.Key) -> (whole: UInt64, half: UInt32) {
        var hasher = Hasher()
        hasher.combine(key)
        let hash = UInt64(truncatingIfNeeded: hasher.finalize())
        return (hash, UInt32(truncatingIfNeeded: hash))
    }
}

/// Random numbers from a seed (Steele, Lea and Flood 2014): eviction draws with it, and tests can repeat it.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
