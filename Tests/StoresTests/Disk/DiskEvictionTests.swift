// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kernel
import Pipeline
import SourceURLs
@testable import Stores
import Testing

@Suite struct DiskEvictionTests {
    /// Room for 100 files of one block.
    private static let budget = 100 * 4_096

    @Test func `each partition stays within its budget, at every moment`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open {
            $0.originalsBudget = Self.budget
            $0.renditionsBudget = Self.budget / 2
            $0.commitInterval = 1
        }
        defer { store.close() }
        for number in 0..<1_000 {
            try store.keep(original: Picture(number, length: 1_000))
            try store.keep(rendition: Picture(number, length: 1_000))
            #expect(store.statistics.originalBytes <= Self.budget)
            #expect(store.statistics.renditionBytes <= Self.budget / 2)
            if number % 20 == 0 { store.flush() }
        }
        store.flush()
        #expect(store.statistics.originalBytes <= Self.budget * 95 / 100)
        #expect(store.statistics.renditions >= 44)
        // Files that come faster than the writer makes room are not kept.
        let statistics = store.statistics
        let (kept, gone) = (statistics.originals + statistics.renditions, statistics.evicted)
        #expect(gone > 0)
        #expect(kept + gone + statistics.skipped == 2_000)
        #expect(cache.files("originals").count == store.statistics.originalFiles)
        #expect(cache.files("renditions").count == store.statistics.renditions)
    }

    /// Variants, and URLs with a parameter that their origin ignores.
    @Test(arguments: ["#", "?"])
    func `names of the same bytes take room, each but the first, and give it back`(sign: String) throws {
        func bytes(_ statistics: DiskStatistics) -> Int {
            4_096 + (statistics.originals - 1) * NameEntry.sharingSize
        }
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open {
            $0.originalsBudget = Self.budget
            $0.commitInterval = 1
        }
        for number in 0..<1_000 {
            try store.keep(original: Picture(1, length: 1_000), url: "http://host/1\(sign)\(number)")
            #expect(store.statistics.originalBytes <= Self.budget)
            if number % 20 == 0 { store.flush() }
        }
        store.flush()
        let statistics = store.statistics
        #expect(statistics.originalFiles == 1 && statistics.evicted > 0)
        #expect(statistics.originalBytes == bytes(statistics))
        // A name that is kept again counts once.
        let held = (0..<1_000).map { "http://host/1\(sign)\($0)" }
            .first { store.original(OriginalKey(text: $0)) != nil }
        try store.keep(original: Picture(1, length: 1_000), url: held)
        store.close()
        let kept = store.statistics
        #expect(kept.originalBytes == bytes(kept))
        // There is room for everything, so that nothing is evicted meanwhile.
        let second = try cache.open()
        defer { second.close() }
        let loaded = second.statistics
        #expect(loaded.originals > 0 && loaded.originalBytes == bytes(loaded))
        try second.purgeAll()
        #expect(second.statistics.originalBytes == 0)
    }

    @Test func `what a row takes beyond the usual counts, until it goes`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        let url = "http://host/" + String(repeating: "x", count: 8_000)
        let fields = String(repeating: "y", count: 1_000)
        try store.keep(original: Picture(1, length: 1_000), url: url, fields: fields)
        let row = 2 * url.utf8.count + 3 * fields.utf8.count - NameEntry.usualRow
        #expect(store.statistics.originalBytes == 4_096 + row)
        try store.keep(original: Picture(1, length: 1_000), url: url, fields: "")
        let shorter = row - 3 * fields.utf8.count
        #expect(store.statistics.originalBytes == 4_096 + shorter)
        store.close()
        let second = try cache.open()
        defer { second.close() }
        #expect(second.statistics.originalBytes == 4_096 + shorter)
        try second.purgeAll()
        #expect(second.statistics.originalBytes == 0)
    }

    @Test func `what does not fit is not kept, and still usable`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open { $0.renditionsBudget = 8_192 }
        defer { store.close() }
        let body = try store.keep(rendition: Picture(1, length: 9_000))
        #expect(body.contents == Picture(1, length: 9_000).bytes)
        #expect(store.rendition(Picture.renditionKey(1)) == nil)
        #expect(store.statistics.skipped == 1)
        #expect(store.health == .good)
    }

    @Test func `for what found no room, room is made, and the next time it is kept`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open {
            $0.renditionsBudget = Self.budget
            $0.commitInterval = 1
        }
        defer { store.close() }
        for number in 0..<90 { try store.keep(rendition: Picture(number, length: 1_000)) }
        store.flush()
        let large = Picture(1_000, length: 20 * 4_096)
        try store.keep(rendition: large)
        #expect(store.rendition(Picture.renditionKey(1_000)) == nil)
        store.flush()
        #expect((1...15).contains(store.statistics.evicted))
        try store.keep(rendition: large)
        #expect(store.bytes(rendition: 1_000) == large.bytes)
        #expect(store.statistics.renditionBytes <= Self.budget)
    }

    @Test func `nothing leaves for a file of more than half of the budget`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open {
            $0.renditionsBudget = Self.budget
            $0.commitInterval = 1
        }
        defer { store.close() }
        for number in 0..<80 { try store.keep(rendition: Picture(number, length: 1_000)) }
        try store.keep(rendition: Picture(1_000, length: 60 * 4_096))
        store.flush()
        #expect(store.statistics.renditions == 80 && store.statistics.evicted == 0)
    }

    /// The writer writes the evictor's removals at once, ahead of the queue. Here nothing writes them, which has the same effect.
    @Test func `what is evicted while its row waits gets no row, unless it is kept again`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        defer { store.close() }
        for number in 0..<100 {
            try store.keep(original: Picture(number, length: 1_000))
            try store.keep(rendition: Picture(number, length: 1_000))
        }
        var evictor = Evictor(store.catalogue, high: 0.95, low: 0.9, seed: 1)
        let shortage = DiskSpace.Shortage(bytes: store.catalogue.bytes / 2)
        #expect(evictor.next(at: store.seconds, shortage: shortage).count == 100)
        let isGone: (Int) -> Bool = { store.rendition(Picture.renditionKey($0)) == nil }
        let again = try #require((0..<100).first(where: isGone))
        try store.keep(original: Picture(again, length: 1_000))
        try store.keep(rendition: Picture(again, length: 1_000))
        store.flush()
        let index = try Database(path: cache.folder + "/index.sqlite", .readOnly)
        let statistics = store.statistics
        #expect(statistics.renditions == 51 && (50...51).contains(statistics.originals))
        #expect(try index.integer("SELECT count(*) FROM originals") == Int64(statistics.originals))
        #expect(try index.integer("SELECT count(*) FROM renditions") == Int64(statistics.renditions))
        #expect(try cache.accessed(again) != nil)
    }

    @Test func `the least recently used leave first, by and large`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let first = try cache.open()
        for number in 0..<400 {
            cache.pass(seconds: 1)
            try first.keep(rendition: Picture(number, length: 1_000))
            try first.keep(original: Picture(number, length: 1_000))
        }
        // The first hundred are requested again.
        cache.pass(seconds: 1)
        for number in 0..<100 {
            #expect(first.bytes(rendition: number) != nil)
            #expect(first.original(Picture(number, length: 1_000).original().key) != nil)
        }
        first.close()
        let second = try cache.open {
            $0.originalsBudget = 2 * Self.budget
            $0.renditionsBudget = 2 * Self.budget
        }
        defer { second.close() }
        second.flush()
        for isHeld in [
            { second.rendition(Picture.renditionKey($0)) != nil },
            { second.original(Picture($0, length: 1_000).original().key) != nil },
        ] as [(Int) -> Bool] {
            #expect((0..<100).filter(isHeld).count >= 95, "used again")
            #expect((100..<200).filter(isHeld).count <= 15, "oldest")
            #expect((350..<400).filter(isHeld).count >= 45, "newest")
        }
    }

    @Test func `access times reach the disk an hour late, or at the end`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        try store.keep(rendition: Picture(1))
        try store.keep(rendition: Picture(2))
        store.flush()
        cache.pass(seconds: 3_599)
        _ = store.rendition(Picture.renditionKey(1))
        store.flush()
        #expect(try cache.accessed(1) == 1_700_000_000)
        cache.pass(seconds: 1)
        _ = store.rendition(Picture.renditionKey(1))
        store.flush()
        #expect(try cache.accessed(1) == 1_700_003_600)
        cache.pass(seconds: 5)
        _ = store.rendition(Picture.renditionKey(2))
        _ = store.rendition(Picture.renditionKey(1))
        store.close()
        #expect(try cache.accessed(1) == 1_700_003_605)
        #expect(try cache.accessed(2) == 1_700_003_605)
    }
}
