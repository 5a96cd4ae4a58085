// SPDX-License-Identifier: Apache-2.0

import Pipeline
import RandomInputs
@testable import Stores
import Synchronization
import Testing

private final class Number: Sendable, ExpressibleByIntegerLiteral {
    let value: Int
    init(_ value: Int) { self.value = value }
    init(integerLiteral value: Int) { self.value = value }
}

extension MemoryStore where Value == Number {
    fileprivate func value(_ key: String) -> Int? { object(key)?.value }

    @discardableResult
    fileprivate func insert(_ number: Int, _ key: String, cost: Int) -> Insertion {
        insert(Number(number), key, cost: cost)
    }
}

/// Counts how many of its instances are alive.
private final class Counted: Sendable {
    let number: Int
    private let alive: Alive

    init(_ number: Int, _ alive: Alive) {
        self.number = number
        self.alive = alive
        alive.count.add(1, ordering: .relaxed)
    }

    deinit { alive.count.subtract(1, ordering: .relaxed) }
}

private final class Alive: Sendable {
    let count = Atomic<Int>(0)
    var now: Int { count.load(ordering: .relaxed) }
}

extension MemoryStore {
    fileprivate func object(_ key: String) -> Value? { key.withBytes { value(for: $0) } }

    @discardableResult
    fileprivate func insert(_ value: Value, _ key: String, cost: Int) -> Insertion {
        key.withBytes { insert(value, for: $0, cost: cost) }
    }

    fileprivate func remove(_ key: String) { key.withBytes { remove($0) } }
}

extension String {
    fileprivate func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

/// The cost of an entry in these tests: 100 bytes, a key of one byte, and the overhead.
private let whole = 100 + 1 + MemoryStore<Number>.entryOverhead

@Suite struct MemoryStoreTests {
    @Test func `what was put in is found by the same bytes and by no others`() {
        let store = MemoryStore<Number>(budget: 1 << 20)
        store.insert(1, "/img?url=a&w=1", cost: 10)
        store.insert(2, "/img?url=a&w=2", cost: 10)
        store.insert(3, "", cost: 10)
        #expect(store.value("/img?url=a&w=1") == 1)
        #expect(store.value("/img?url=a&w=2") == 2)
        #expect(store.value("") == 3)
        #expect(store.value("/img?url=a&w=") == nil)
        #expect(store.value("/img?url=a&w=11") == nil)
    }

    @Test func `the value used longest ago leaves first`() {
        let store = MemoryStore<Number>(budget: whole * 5, shards: 1)
        for (number, key) in ["a", "b", "c", "d", "e"].enumerated() { store.insert(number, key, cost: 100) }
        #expect(store.value("a") == 0)  // Now "b" is the oldest.
        store.insert(5, "f", cost: 100)
        store.insert(6, "g", cost: 100)
        #expect(["a", "b", "c", "d", "e", "f", "g"].map { store.value($0) } == [0, nil, nil, 3, 4, 5, 6])
        #expect(store.statistics.evictions == 2)
        #expect(store.statistics.cost == whole * 5)
    }

    @Test func `a larger entry pushes out as many as it needs`() {
        let store = MemoryStore<Number>(budget: whole * 8, shards: 1)
        for key in ["a", "b", "c", "d", "e", "f", "g", "h"] { store.insert(0, key, cost: 100) }
        store.insert(1, "i", cost: 100 + whole)
        #expect(store.value("a") == nil)
        #expect(store.value("b") == nil)
        #expect(store.value("c") == 0)
        #expect(store.statistics.entries == 7)
    }

    @Test func `a new value takes the place of the old one and of its cost`() {
        let store = MemoryStore<Number>(budget: 1 << 20, shards: 1)
        store.insert(1, "a", cost: 5_000)
        store.insert(2, "a", cost: 100)
        #expect(store.value("a") == 2)
        #expect(store.statistics.entries == 1)
        #expect(store.statistics.cost == whole)
        #expect(store.statistics.evictions == 0)
    }

    @Test func `an entry above a quarter of a shard is refused, and the outdated value goes`() {
        let store = MemoryStore<Number>(budget: 64_000, shards: 2)
        #expect(store.largestEntry == 8_000)
        store.insert(1, "a", cost: 100)
        #expect(store.insert(2, "a", cost: 8_000 - 1 - MemoryStore<Number>.entryOverhead + 1) == .refused)
        #expect(store.value("a") == nil)
        #expect(store.insert(3, "a", cost: 8_000 - 1 - MemoryStore<Number>.entryOverhead) == .kept)
        #expect(store.statistics.refused == 1)
    }

    @Test func `a store without a budget keeps nothing`() {
        let store = MemoryStore<Number>(budget: 0)
        #expect(store.insert(1, "a", cost: 0) == .refused)
        #expect(store.value("a") == nil)
    }

    @Test func `a store that measures entries holds that many, whatever they cost`() {
        let store = MemoryStore<Number>(budget: 3, measure: .entries, shards: 1)
        for (number, key) in ["a", "b", "c", "d"].enumerated() {
            #expect(store.insert(number, key, cost: 1 << 40) == .kept)
        }
        #expect(["a", "b", "c", "d"].map { store.value($0) } == [nil, 1, 2, 3])
    }

    @Test func `what leaves is freed`() {
        let alive = Alive()
        do {
            let store = MemoryStore<Counted>(budget: whole * 4, shards: 1)
            for (number, key) in ["a", "b", "c", "d", "e", "f"].enumerated() {
                store.insert(Counted(number, alive), key, cost: 100)
            }
            #expect(alive.now == 4)
            store.remove("f")
            #expect(alive.now == 3)
            #expect(store.remove { _, value in value.number == 3 } == 1)
            #expect(alive.now == 2)
            store.removeAll()
            #expect(alive.now == 0)
            #expect(store.statistics.cost == 0)
            store.insert(Counted(7, alive), "x", cost: 100)
        }
        #expect(alive.now == 0)
    }

    @Test func `removing by condition sees keys and values`() {
        let store = MemoryStore<Number>(budget: 1 << 20)
        for number in 0..<100 { store.insert(number, "key\(number)", cost: 1) }
        #expect(store.remove { key, value in key.count == 4 && value.value != 3 } == 9)
        #expect(store.statistics.entries == 91)
        #expect(store.value("key3") == 3)
        #expect(store.value("key4") == nil)
    }

    @Test func `a scan lets others in after each slice, and passes by nothing`() {
        var shard = MemoryShard(capacity: .max)
        let count = 3 * MemoryShard.slice + 1
        for number in 0..<count {
            // Cannot trap: the numbers are below a thousand.
            let hash = UInt32(number)
            _ = "\(number)".withBytes { shard.insert(Number(number), for: $0, hash, cost: 1) }
        }
        var looks: [Int] = []
        var start: Int? = 0
        while let from = start {
            var looked = 0
            let (found, next) = shard.remove(from: from) { _, value in
                looked += 1
                return (value as? Number)?.value.isMultiple(of: 2) ?? false
            }
            #expect(found.count == (looked + 1) / 2)
            looks.append(looked)
            start = next
        }
        #expect(looks == [MemoryShard.slice, MemoryShard.slice, MemoryShard.slice, 1])
        let (entries, first) = (shard.statistics.entries, shard.count(from: 0) { _, _ in true }.found)
        #expect(entries == count / 2)
        #expect(first == MemoryShard.slice / 2)
    }

    @Test func `removing by condition reaches all of a large store`() {
        let store = MemoryStore<Number>(budget: 1 << 20, shards: 2)
        for number in 0..<3_000 { store.insert(number, "key\(number)", cost: 1) }
        #expect(store.count { _, value in value.value < 1_000 } == 1_000)
        #expect(store.remove { _, value in value.value >= 1_000 } == 2_000)
        #expect(store.statistics.entries == 1_000)
        store.removeAll()
        #expect(store.statistics.entries == 0)
    }

    @Test func `hits and misses are counted`() {
        let store = MemoryStore<Number>(budget: 1 << 20)
        store.insert(1, "a", cost: 1)
        _ = store.value("a")
        _ = store.value("a")
        _ = store.value("b")
        #expect(store.statistics.hits == 2)
        #expect(store.statistics.misses == 1)
    }

    @Test(arguments: [UInt64.random(in: .min ... .max), 1])
    func `it behaves like a list that is searched from the front`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let budget = 40 * whole
        let store = MemoryStore<Number>(budget: budget, shards: 1)
        // The naive model, the newest entry first.
        var model: [(key: String, value: Int, cost: Int)] = []
        for step in 0..<20_000 {
            let key = "\(random.next() % 90)"
            switch random.next() % 10 {
            case 0..<5:
                let value = store.value(key)
                let index = model.firstIndex { $0.key == key }
                #expect(value == index.map { model[$0].value }, "seed \(seed), step \(step)")
                if let index { model.insert(model.remove(at: index), at: 0) }
            case 5..<9:
                let cost = Int(random.next() % 400)
                store.insert(step, key, cost: cost)
                model.removeAll { $0.key == key }
                model.insert((key, step, cost + key.utf8.count + MemoryStore<Number>.entryOverhead), at: 0)
                while model.reduce(0, { $0 + $1.cost }) > budget { model.removeLast() }
            default:
                store.remove(key)
                model.removeAll { $0.key == key }
            }
        }
        #expect(store.statistics.entries == model.count, "seed \(seed)")
        #expect(store.statistics.cost == model.reduce(0) { $0 + $1.cost }, "seed \(seed)")
    }

    @Test func `the budget holds while many tasks put in and take out`() async {
        let alive = Alive()
        let store = MemoryStore<Counted>(budget: 200_000, shards: 4)
        let seed = SeededRandom(for: "MemoryStore").seed
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var random = SplitMix64(seed: seed &+ UInt64(task))
                    for _ in 0..<5_000 {
                        let number = Int(random.next() % 500)
                        switch random.next() % 8 {
                        case 0: store.remove("\(number)")
                        case 1..<4:
                            store.insert(
                                Counted(number, alive), "\(number)", cost: Int(random.next() % 2_000))
                        default:
                            let value = store.object("\(number)")
                            #expect(value == nil || value?.number == number, "seed \(seed)")
                        }
                        #expect(store.statistics.cost <= 200_000, "seed \(seed)")
                    }
                }
            }
        }
        #expect(alive.now == store.statistics.entries, "seed \(seed)")
        store.removeAll()
        #expect(store.statistics.cost == 0)
        #expect(alive.now == 0)
    }
}
