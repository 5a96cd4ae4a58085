// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// One shard of a `MemoryStore`: an LRU list over slots in a flat array, found by hash, linked by slot number
/// from the newest to the oldest.
///
/// Lookup, insertion and eviction take constant time; a lookup allocates nothing. Removed values are returned, so that they are
/// freed outside of the lock.
///
/// Not generic, although `MemoryStore` is: generic code of another module runs unspecialised, which made a
/// lookup three times as slow. All references have the same layout, so the store casts them back at no cost.
///
/// `@unchecked Sendable` because the keys' memory belongs to the slots and is only reached through the shard.
struct MemoryShard: ~Copyable, @unchecked Sendable {
    typealias Value = any AnyObject & Sendable

    private struct Slot {
        /// Nil in a free slot.
        var value: Value?
        var key: UnsafeMutableRawBufferPointer
        var cost: Int
        var hash: UInt32
        var newer: Int32
        /// The slot of the next older entry; in a free slot, the next free slot.
        var older: Int32
    }

    /// The highest total cost of the entries.
    let capacity: Int
    private(set) var statistics = MemoryStatistics()
    private var slots: ContiguousArray<Slot> = []
    private var index = SlotIndex()
    private var newest: Int32 = -1
    private var oldest: Int32 = -1
    private var firstFree: Int32 = -1

    init(capacity: Int) { self.capacity = capacity }

    deinit {
        for slot in slots where slot.value != nil { slot.key.deallocate() }
    }

    /// The value of a key, which becomes the newest; nil if there is none.
    mutating func touch(_ key: UnsafeRawBufferPointer, _ hash: UInt32) -> Value? {
        guard let slot = find(key, hash) else {
            statistics.misses += 1
            return nil
        }
        statistics.hits += 1
        if Int(newest) != slot {
            unlink(slot)
            linkAsNewest(slot)
        }
        return slots[slot].value
    }

    /// Inserts a value. Returns the values that are removed: the key's old one, and the oldest ones beyond the budget.
    mutating func insert(
        _ value: Value, for key: UnsafeRawBufferPointer, _ hash: UInt32, cost: Int
    ) -> [Value] {
        var left = remove(key, hash)
        let slot = takeFreeSlot()
        let ownKey = UnsafeMutableRawBufferPointer.allocate(byteCount: key.count, alignment: 1)
        ownKey.copyMemory(from: key)
        slots[slot] = Slot(value: value, key: ownKey, cost: cost, hash: hash, newer: -1, older: -1)
        index.insert(hash, slot: slot)
        linkAsNewest(slot)
        statistics.entries += 1
        statistics.cost += cost
        while statistics.cost > capacity, oldest >= 0 {
            left.append(contentsOf: free(Int(oldest)))
            statistics.evictions += 1
        }
        return left
    }

    mutating func refuse(_ key: UnsafeRawBufferPointer, _ hash: UInt32) -> [Value] {
        statistics.refused += 1
        return remove(key, hash)
    }

    mutating func remove(_ key: UnsafeRawBufferPointer, _ hash: UInt32) -> [Value] {
        find(key, hash).map { free($0) } ?? []
    }

    /// How many slots a scan examines before it releases the lock for others: about 50 µs, while a shard may have 50,000 slots.
    static let slice = 256

    /// Removes the values that match in one slice of the slots.
    /// - Returns: the removed values, and where the next slice begins; nil after the last slice.
    mutating func remove(
        from start: Int, where condition: (UnsafeRawBufferPointer, Value) -> Bool
    ) -> (found: [Value], next: Int?) {
        let end = min(start + Self.slice, slots.count)
        var left: [Value] = []
        for slot in start..<end {
            if let value = slots[slot].value, condition(UnsafeRawBufferPointer(slots[slot].key), value) {
                left += free(slot)
            }
        }
        return (left, end < slots.count ? end : nil)
    }

    /// Counts the values that match in one slice of the slots, as `remove` does.
    func count(
        from start: Int, where condition: (UnsafeRawBufferPointer, Value) -> Bool
    ) -> (found: Int, next: Int?) {
        let end = min(start + Self.slice, slots.count)
        let count = slots[start..<end].count { slot in
            slot.value.map { condition(UnsafeRawBufferPointer(slot.key), $0) } ?? false
        }
        return (count, end < slots.count ? end : nil)
    }

    private func find(_ key: UnsafeRawBufferPointer, _ hash: UInt32) -> Int? {
        index.find(hash) { slot in
            let own = slots[slot].key
            guard own.count == key.count else { return false }
            guard let a = own.baseAddress, let b = key.baseAddress else { return true }
            return memcmp(a, b, key.count) == 0
        }
    }

    /// Empties a slot and returns its value.
    private mutating func free(_ slot: Int) -> [Value] {
        unlink(slot)
        index.remove(slots[slot].hash, slot: slot)
        slots[slot].key.deallocate()
        statistics.entries -= 1
        statistics.cost -= slots[slot].cost
        let value = slots[slot].value.take()
        slots[slot].older = firstFree
        // Cannot trap: a billion entries would need 200 GB for their overhead alone.
        firstFree = Int32(slot)
        return value.map { [$0] } ?? []
    }

    private mutating func takeFreeSlot() -> Int {
        guard firstFree >= 0 else {
            let none = UnsafeMutableRawBufferPointer(start: nil, count: 0)
            slots.append(Slot(value: nil, key: none, cost: 0, hash: 0, newer: -1, older: -1))
            return slots.count - 1
        }
        let slot = Int(firstFree)
        firstFree = slots[slot].older
        return slot
    }

    private mutating func unlink(_ slot: Int) {
        let (newer, older) = (slots[slot].newer, slots[slot].older)
        if newer >= 0 { slots[Int(newer)].older = older } else { newest = older }
        if older >= 0 { slots[Int(older)].newer = newer } else { oldest = newer }
    }

    private mutating func linkAsNewest(_ slot: Int) {
        slots[slot].newer = -1
        slots[slot].older = newest
        // Cannot trap: as in `free`.
        if newest >= 0 { slots[Int(newest)].newer = Int32(slot) } else { oldest = Int32(slot) }
        // Cannot trap: as in `free`.
        newest = Int32(slot)
    }
}
