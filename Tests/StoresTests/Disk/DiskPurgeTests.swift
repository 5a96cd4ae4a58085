// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HTTPCaching
import HTTPSemantics
import ImageHeaders
import Pipeline
import Recipes
import SourceURLs
@testable import Stores
import Testing

@Suite("A purge finds what it means by an index, takes it off the disk, and no crash brings it back")
struct DiskPurgeTests {
    private static func tagged(_ tags: String) -> String { "cache-control: max-age=60\ncache-tag: \(tags)" }

    private static let urls = [
        "http://a.test/1", "http://a.test:8080/2", "https://a.test/x/3", "http://a.test.evil/4",
        "http://b.test/a.test/5",
    ]

    private func fill(_ store: DiskStore) throws {
        for (number, url) in Self.urls.enumerated() {
            let tags = number % 2 == 0 ? "even, n\(number)" : "odd, n\(number)"
            try store.keep(original: Picture(number), url: url, fields: Self.tagged(tags))
            try store.keep(rendition: Picture(number), url: url)
        }
    }

    private func purge(_ selection: PurgeSelection, _ store: DiskStore, soft: Bool = false) throws -> (
        originals: Int, renditions: Int
    ) {
        let order = PurgeOrder(selection, isSoft: soft)
        let purged = try store.purgeOriginals(order)
        return (purged.count, try store.purgeRenditions(order, of: purged))
    }

    private func count(_ selection: PurgeSelection, _ store: DiskStore, soft: Bool = false) throws -> (
        originals: Int, renditions: Int
    ) {
        let order = PurgeOrder(selection, isSoft: soft)
        let found = try store.countOriginals(order)
        return (found.count, try store.countRenditions(order, of: found))
    }

    private func held(_ store: DiskStore) -> [Int] {
        Self.urls.indices.filter { store.original(OriginalKey(url: Self.urls[$0])) != nil }
    }

    @Test(
        arguments: [
            (.url(OriginalKey(url: "http://a.test/1")), [1, 2, 3, 4]),
            (.url(OriginalKey(url: "http://a.test/")), [0, 1, 2, 3, 4]),
            (.prefix("http://a.test/"), [1, 2, 3, 4]), (.prefix("https://a.test/x"), [0, 1, 3, 4]),
            (.prefix("http://"), [2]), (.host("a.test"), [3, 4]), (.host("test"), [0, 1, 2, 3, 4]),
            (.tag("odd"), [0, 2, 4]), (.tag("n4"), [0, 1, 2, 3]), (.tag("n"), [0, 1, 2, 3, 4]), (.all, []),
        ] as [(PurgeSelection, [Int])])
    func `each selection takes what it means, and its renditions`(selection: PurgeSelection, left: [Int])
        throws
    {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        try fill(store)
        let count = Self.urls.count - left.count
        // They are counted first, which removes nothing.
        #expect(try self.count(selection, store) == (count, count))
        #expect(try self.count(selection, store, soft: true) == (count, 0))
        #expect(held(store) == Array(Self.urls.indices))
        #expect(store.statistics.renditions == Self.urls.count)
        #expect(try purge(selection, store) == (count, count))
        #expect(try self.count(selection, store) == (0, 0))
        #expect(held(store) == left)
        #expect(cache.files("originals").count == left.count)
        #expect(cache.files("renditions").count == left.count)
        // As a kill at this moment would leave the folder.
        let copy = try cache.snapshot()
        defer { try? FileManager.default.removeItem(atPath: copy) }
        store.close()
        let second = try cache.open(in: copy)
        defer { second.close() }
        #expect(held(second) == left)
        #expect(second.statistics.renditions == left.count)
    }

    @Test(
        arguments: [
            (.url(OriginalKey(url: "http://a.test/1")), [3, 4]),
            (.url(OriginalKey(url: "http://a.test/1", variant: "aa")), [3, 4]),
            (.url(OriginalKey(url: "http://a.test/")), [0, 1, 2, 3, 4]), (.prefix("http://a.test/1"), []),
            (.host("a.test"), []), (.tag("t1"), [0, 2, 3, 4]), (.all, []),
        ] as [(PurgeSelection, [Int])], [false, true])
    func `a purge reaches the variants of what it means`(
        given: (selection: PurgeSelection, left: [Int]), isSoft: Bool
    ) throws {
        let keys = ["1", "1#aa", "1#bb", "12#aa", "1$"].map { OriginalKey(text: "http://a.test/\($0)") }
        let cache = try CacheUnderTest()
        let store = try cache.open()
        let fresh = Freshness(
            responseTime: cache.now, initialAge: 0, lifetime: 3600, staleWhileRevalidate: 0,
            staleIfError: 0, flags: [])
        for (number, key) in keys.enumerated() {
            var original = Picture(number).original(url: key.text)
            original.freshness = fresh
            _ = store.keepOriginal(
                original, cachingFields: Self.tagged("t\(number)"),
                body: try store.file(Picture(number).bytes))
        }
        let order = PurgeOrder(given.selection, isSoft: isSoft)
        let found = try store.countOriginals(order)
        let purged = try store.purgeOriginals(order)
        #expect(found.count == keys.count - given.left.count && purged.count == found.count)
        #expect(purged.keys == found.keys)
        switch given.selection {
        case .host, .prefix: #expect(purged.matched == Set(keys))
        case .url, .tag, .all: #expect(purged.matched.isEmpty)
        }
        if case .url(let key) = given.selection {
            #expect(purged.keys == (key.url == keys[0].url ? [keys[1], keys[2]] : []))
        }
        store.close()
        let second = try cache.open()
        defer { second.close() }
        for (number, key) in keys.enumerated() {
            let held = second.original(key)
            #expect((held?.freshness == fresh) == given.left.contains(number), "\(key.text)")
            #expect((held != nil) == (isSoft || given.left.contains(number)), "\(key.text)")
        }
    }

    @Test func `without its index, a purge of a URL takes what it knows, and tells whether that is all`()
        throws
    {
        let keys = ["1", "1#aa", "1#bb", "2"].map { OriginalKey(text: "http://a.test/\($0)") }
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        let (index, away) = (cache.folder + "/index.sqlite", cache.folder + "/away")
        func purge(_ key: OriginalKey) throws -> PurgedOriginals {
            store.flush()
            try FileManager.default.moveItem(atPath: index, toPath: away)
            defer { try? FileManager.default.moveItem(atPath: away, toPath: index) }
            return try store.purgeOriginals(PurgeOrder(.url(key)))
        }
        // No variant is held, so the index need not be read.
        try store.keep(original: Picture(3), url: keys[3].text)
        let plain = try purge(keys[3])
        #expect(plain.count == 1 && plain.failure == nil && plain.orphans == [Picture(3).source])
        for number in 0..<3 { try store.keep(original: Picture(number), url: keys[number].text) }
        let purged = try purge(keys[1])
        #expect(purged.count == 2 && purged.keys == [keys[1]] && purged.failure != nil)
        #expect(purged.orphans == [Picture(0).source, Picture(1).source])
        #expect(keys.map { store.original($0) != nil } == [false, false, true, false])
        // Once more, now that the index can be read.
        let rest = try store.purgeOriginals(PurgeOrder(.url(keys[0])))
        #expect(rest.count == 1 && rest.keys == [keys[2]] && rest.failure == nil)
    }

    @Test func `renditions stay while another original has the same bytes`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        try store.keep(original: Picture(1), url: "http://a.test/1")
        try store.keep(original: Picture(1), url: "http://b.test/1")
        try store.keep(rendition: Picture(1))
        #expect(try count(.host("a.test"), store) == (1, 0))
        #expect(try count(.prefix("http://"), store) == (2, 1))
        #expect(try purge(.host("a.test"), store) == (1, 0))
        #expect(try count(.host("b.test"), store) == (1, 1))
        #expect(store.bytes(rendition: 1) == Picture(1).bytes)
        #expect(try purge(.host("b.test"), store) == (1, 1))
        #expect(store.statistics == DiskStatistics())
    }

    @Test func `a soft purge makes stale and deletes nothing, over a restart too`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        var picture = Picture(3).original(url: "http://a.test/1")
        picture.freshness = Freshness(
            responseTime: cache.now, initialAge: 0, lifetime: 3600, staleWhileRevalidate: 60,
            staleIfError: 60,
            flags: [])
        _ = store.keepOriginal(
            picture, cachingFields: Self.tagged("x"), body: try store.file(Picture(3).bytes))
        cache.pass(seconds: 5)
        #expect(try purge(.tag("x"), store, soft: true) == (1, 0))
        store.close()
        let second = try cache.open()
        defer { second.close() }
        for state in [second.original(picture.key)?.freshness.state(at: cache.now)] {
            #expect(state == .stale(seconds: 0, mayServeWhileRevalidating: true, mayServeOnError: true))
        }
        #expect(second.cachingFields(of: picture.key) == Self.tagged("x"))
    }

    @Test func `what must be confirmed may not be served stale after a restart either`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        var picture = Picture(3).original(url: "http://a.test/1")
        picture.freshness = Freshness(
            responseTime: cache.now, initialAge: 0, lifetime: 3600, staleWhileRevalidate: 60,
            staleIfError: 60, flags: [])
        _ = store.keepOriginal(picture, cachingFields: "", body: try store.file(Picture(3).bytes))
        cache.pass(seconds: 50)
        var order = PurgeOrder(.all, isSoft: true)
        order.isStrict = true
        #expect(try store.purgeOriginals(order).count == 1)
        store.close()
        // The clock may also be set back.
        for seconds in [0, -40] as [Int64] {
            cache.pass(seconds: seconds)
            let second = try cache.open()
            defer { second.close() }
            let state = second.original(picture.key)?.freshness.state(at: cache.now)
            #expect(state == .stale(seconds: 0, mayServeWhileRevalidating: false, mayServeOnError: false))
        }
    }

    @Test func `tags are those of the latest fields`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        try fill(store)
        let key = OriginalKey(url: Self.urls[0])
        store.refreshOriginal(
            key, of: try #require(store.original(key)).digest, freshness: Picture.freshness(lifetime: 5),
            lastModified: nil, cachingFields: "surrogate-key: new other")
        #expect(try purge(.tag("n0"), store).originals == 0)
        #expect(try purge(.tag("other"), store).originals == 1)
    }

    @Test func `an original's tags are at hand, after a restart as well`() throws {
        let cache = try CacheUnderTest()
        let keys = ["http://a.test/1", "http://a.test/2"].map { OriginalKey(url: $0) }
        func tags(_ store: DiskStore) throws -> [[String]?] {
            try keys.map { store.tagsAtHand(of: try #require(store.original($0))) }
        }
        let first = try cache.open()
        try first.keep(original: Picture(1), url: keys[0].url, fields: Self.tagged("x, y"))
        try first.keep(original: Picture(2), url: keys[1].url, fields: "etag: \"1\"")
        #expect(try tags(first) == [["x", "y"], []])
        first.close()
        let store = try cache.open()
        defer { store.close() }
        #expect(try tags(store) == [["x", "y"], []])
        let former = try #require(store.original(keys[0]))
        for (key, fields) in zip(keys, ["etag: \"1\"", "surrogate-key: z"]) {
            store.refreshOriginal(
                key, of: try #require(store.original(key)).digest,
                freshness: Picture.freshness(lifetime: 5), lastModified: nil, cachingFields: fields)
        }
        #expect(try tags(store) == [[], ["z"]])
        try store.keep(original: Picture(3), url: keys[0].url, fields: Self.tagged("w"))
        #expect(try tags(store) == [["w"], ["z"]])
        #expect(store.tagsAtHand(of: former) == nil, "the name has other bytes by now")
        let gone = try #require(store.original(keys[1]))
        store.forgetOriginal(keys[1])
        #expect(store.tagsAtHand(of: gone) == nil)
    }

    @Test func `tags that are not at hand are so once they were read`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        let key = OriginalKey(url: "http://a.test/1")
        try store.keep(original: Picture(1), url: key.url, fields: Self.tagged("x"))
        let original = try #require(store.original(key))
        store.flush()
        store.catalogue.tags.forget(NameKey(key))
        #expect(store.tagsAtHand(of: original) == nil)
        #expect(store.cachingFields(of: original) == Self.tagged("x"))
        #expect(store.tagsAtHand(of: original) == ["x"])
    }

    @Test func `the tags in memory are bounded, and those used last stay`() throws {
        let tags = TagMemory(budget: 64 << 10)
        let keys = (0..<1_000).map { NameKey(OriginalKey(url: "http://a.test/\($0)")) }
        let digest = Picture(1).original().digest.digest
        for key in keys { tags.hold(Self.tagged("x"), for: key, of: digest) }
        let held = keys.filter { tags.tags(of: $0, digest) != nil }
        #expect((1..<500).contains(held.count) && held.last == keys.last)
        let long = String(repeating: "x", count: 64 << 10)
        tags.hold(Self.tagged(long), for: keys[999], of: digest)
        #expect(tags.tags(of: keys[999], digest) == nil, "too long for the memory")
    }

    @Test func `renditions of which nobody knows the original go with the first that is purged`() throws {
        let cache = try CacheUnderTest()
        let first = try cache.open()
        try first.keep(rendition: Picture(7))
        first.close()
        try Data("no database".utf8).write(to: URL(fileURLWithPath: cache.folder + "/index.sqlite"))
        let store = try cache.open()
        defer { store.close() }
        _ = store.sweep()
        #expect(store.bytes(rendition: 7) == Picture(7).bytes)
        try store.keep(original: Picture(1), url: "http://a.test/1")
        #expect(try purge(.host("a.test"), store) == (1, 1))
    }

    @Test(arguments: [.all, .host("a.test")] as [PurgeSelection], [false, true])
    func `renditions that no sweep has found yet do not come back after a purge`(
        selection: PurgeSelection, restarts: Bool
    ) throws {
        let cache = try CacheUnderTest()
        let first = try cache.open()
        for number in 7..<10 { try first.keep(rendition: Picture(number)) }
        first.close()
        try FileManager.default.removeItem(atPath: cache.folder + "/index.sqlite")
        var store = try cache.open()
        defer { store.close() }
        try store.keep(original: Picture(1), url: "http://a.test/1")
        #expect(try purge(selection, store) == (1, 0))
        if restarts {
            store.close()
            store = try cache.open()
        }
        let report = store.sweep()
        #expect((report.adopted, report.orphans) == (0, 3))
        #expect(cache.files("renditions").isEmpty)
    }

    @Test(
        arguments: [
            IndexQueries.sql(for: .url(OriginalKey(url: "x"))), IndexQueries.sql(for: .prefix("x")),
            IndexQueries.sql(for: .host("x")), IndexQueries.sql(for: .tag("x")),
            IndexQueries.renditionsSQL,
            IndexQueries.madeForSQL, IndexQueries.madeBelowSQL(prefixes: 1),
            IndexQueries.madeBelowSQL(prefixes: PurgeSelection.host("x").prefixes.count),
            WatermarkedRows.ofWatermarkSQL, WatermarkedRows.madeForSQL,
            WatermarkedRows.madeBelowSQL("url >= ?1 AND url < ?2 OR url >= ?3 AND url < ?4"),
        ])
    func `no query looks at every row`(sql: String) throws {
        let cache = try CacheUnderTest()
        try cache.open().close()
        let database = try Database(path: cache.folder + "/index.sqlite", .readOnly)
        let plan = try database.prepare("EXPLAIN QUERY PLAN " + sql)
        while try plan.step() { #expect(!plan.text(3).hasPrefix("SCAN"), "\(plan.text(3))") }
    }

    @Test func `the list goes by URL, by pages, and by host`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        try fill(store)
        let all = try store.list(.all, after: "", limit: 10).map(\.url)
        #expect(all == Self.urls.sorted())
        let page = try store.list(.all, after: all[1], limit: 2).map(\.url)
        #expect(page == Array(all[2...3]))
        let row = try #require(try store.list(.host("b.test"), after: "", limit: 10).first)
        #expect(row.url == Self.urls[4])
        #expect(row.digest == Picture(4).digest.hex)
        #expect((row.width, row.format) == (5, "webp"))
    }
}
