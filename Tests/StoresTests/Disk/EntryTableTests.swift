// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Testing

@testable import Stores

private struct Entry: TableEntry, Equatable {
    let key: Int
    var accessed: UInt32
    var recorded: UInt32 = 0
}

@Suite struct EntryTableTests {
    @Test(arguments: [UInt64.random(in: .min ... .max), 1])
    func `it behaves like a dictionary`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let table = EntryTable<Entry>(shards: 2)
        var model: [Int: Entry] = [:]
        for step in 0..<20_000 {
            let key = Int(random.next() % 300)
            let entry = Entry(key: key, accessed: UInt32(step))
            switch random.next() % 3 {
            case 0:
                table.update(key) { $0 = entry }
                model[key] = entry
            case 1:
                table.update(key) { $0 = nil }
                model[key] = nil
            default: #expect(table[key] == model[key], "seed \(seed), step \(step)")
            }
        }
        #expect(table.count == model.count)
        let all = Array(table.entries)
        #expect(Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) }) == model, "seed \(seed)")
    }

    @Test func `the oldest of many draws is old, and of an empty table there is none`() {
        var random = SplitMix64(seed: 1)
        let table = EntryTable<Entry>(shards: 1)
        #expect(table.oldest(of: 16, at: 100_000, using: &random) == nil)
        for key in 0..<1_000 { table.update(key) { $0 = Entry(key: key, accessed: UInt32(key)) } }
        // The chance that none of 16 draws is in the older half is 1 in 65,536; with this seed it does not happen.
        let drawn = (0..<200).compactMap { _ in table.oldest(of: 16, at: 100_000, using: &random)?.key }
        #expect(drawn.allSatisfy { $0 < 500 })
        #expect(drawn.reduce(0, +) / drawn.count < 100)
    }

    @Test func `what was asked for in a future that the clock was set back from is the oldest`() {
        var random = SplitMix64(seed: 1)
        let table = EntryTable<Entry>(shards: 1)
        for (key, accessed) in [1_000, 2_000, 2_060, 9_000].enumerated() {
            table.update(key) { $0 = Entry(key: key, accessed: UInt32(accessed)) }
        }
        let drawn = (0..<50).compactMap { _ in table.oldest(of: 64, at: 2_000, using: &random)?.accessed }
        #expect(Set(drawn) == [9_000])
        table.update(3) { $0 = nil }
        let rest = (0..<50).compactMap { _ in table.oldest(of: 64, at: 2_000, using: &random)?.accessed }
        #expect(Set(rest) == [1_000], "a minute is everyday life")
    }

    @Test func `a table with room reserved is a table like any other`() {
        let table = EntryTable<Entry>(shards: 2)
        table.reserve(1_000)
        for key in 0..<3_000 { table.update(key) { $0 = Entry(key: key, accessed: 1) } }
        table.reserve(10)
        #expect(table.count == 3_000)
        #expect((0..<3_000).allSatisfy { table[$0] != nil })
    }

    @Test func `a touch is late for the disk after the given time, in whichever direction the clock went`() {
        let table = EntryTable<Entry>(shards: 1)
        table.update(1) { $0 = Entry(key: 1, accessed: 100, recorded: 100) }
        #expect(
            table.touch(1, at: 159, precision: 60) == (Entry(key: 1, accessed: 159, recorded: 100), false))
        #expect(table.touch(1, at: 160, precision: 60) == (Entry(key: 1, accessed: 160, recorded: 160), true))
        #expect(
            table.touch(1, at: 101, precision: 60) == (Entry(key: 1, accessed: 101, recorded: 160), false))
        #expect(table.touch(1, at: 100, precision: 60) == (Entry(key: 1, accessed: 100, recorded: 100), true))
        #expect(table.touch(2, at: 50, precision: 60) == (nil, false))
    }
}
