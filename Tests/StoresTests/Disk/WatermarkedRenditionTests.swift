// SPDX-License-Identifier: Apache-2.0

import Bytes
import Pipeline
import Recipes
import SourceURLs
@testable import Stores
import Testing

@Suite("A purge of a watermark takes the renditions that bear it")
struct WatermarkedRenditionTests {
    private static let url = "http://a.test/x/logo"
    private static let logo = Picture(9)
    private static let selections: [PurgeSelection] = [
        .url(OriginalKey(url: url)), .prefix("http://a.test/x"), .host("a.test"), .tag("t"),
    ]

    /// Keeps a watermark, a rendition that bears it, and one of the same original that does not.
    private func fill(_ store: DiskStore) throws {
        try store.keep(original: Self.logo, url: Self.url, fields: "cache-tag: t")
        for number in 1...2 { try store.keep(original: Picture(number), url: "http://b.test/\(number)") }
        try keep(1, on: store)
        try store.keep(rendition: Picture(2), url: "http://b.test/2")
    }

    private func keep(_ number: Int, on store: DiskStore) throws {
        let picture = Picture(number)
        _ = store.keepRendition(
            picture.rendition, of: picture.original(url: "http://b.test/\(number)"),
            bearing: Self.logo.original(url: Self.url), body: try store.file(picture.bytes))
    }

    private func purge(_ selection: PurgeSelection, _ store: DiskStore) throws -> Int {
        let order = PurgeOrder(selection)
        let forecast = try store.countRenditions(order, of: try store.countOriginals(order))
        let count = try store.purgeRenditions(order, of: try store.purgeOriginals(order))
        #expect(forecast == count, "the dry run has told it")
        return count
    }

    private func rows(_ cache: CacheUnderTest) throws -> Int64? {
        try Database(path: cache.folder + "/index.sqlite", .readOnly).integer(
            "SELECT count(*) FROM watermarked")
    }

    @Test(arguments: selections, [false, true])
    func `by each selection, over a restart too, and no others`(
        selection: PurgeSelection, isRestarted: Bool
    ) throws {
        let cache = try CacheUnderTest()
        var store = try cache.open()
        defer { store.close() }
        try fill(store)
        if isRestarted {
            store.close()
            store = try cache.open()
        }
        #expect(try purge(selection, store) == 1)
        #expect(store.bytes(rendition: 1) == nil && store.bytes(rendition: 2) == Picture(2).bytes)
        #expect(cache.files("renditions").count == 1)
        #expect(try rows(cache) == 0)
    }

    @Test(arguments: selections.dropLast())
    func `even if the watermark itself has made room since`(selection: PurgeSelection) throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        try fill(store)
        store.forgetOriginal(OriginalKey(url: Self.url))
        #expect(try purge(selection, store) == 1)
        #expect(store.bytes(rendition: 1) == nil)
    }

    @Test func `but not while another URL has the same watermark`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        try fill(store)
        try store.keep(original: Self.logo, url: "http://c.test/logo")
        #expect(try purge(Self.selections[0], store) == 0)
        #expect(try purge(.host("c.test"), store) == 1)
    }

    @Test func `and a rendition that goes for another reason leaves no row`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        try fill(store)
        store.flush()
        #expect(try rows(cache) == 1)
        store.forgetRendition(Picture(1).rendition.key)
        store.flush()
        #expect(try rows(cache) == 0)
    }

    @Test func `and a row that an earlier version has left goes at the next opening`() throws {
        let cache = try CacheUnderTest()
        let first = try cache.open()
        try fill(first)
        try keep(3, on: first)
        first.close()
        // Earlier versions do not know the table.
        try Database(path: cache.folder + "/index.sqlite", .readWrite).execute(
            "DELETE FROM renditions WHERE key = (SELECT min(key) FROM watermarked)")
        #expect(try rows(cache) == 2)
        let store = try cache.open()
        defer { store.close() }
        store.flush()
        #expect(try rows(cache) == 1)
        #expect(try purge(Self.selections[0], store) == 1)
    }

    @Test func `and thousands of such rows go in slices, beside new ones that stay`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let former = try cache.open()
        try fill(former)
        former.close()
        try addLostRows(2_500, to: cache)
        let store = try cache.open()
        defer { store.close() }
        store.flush()
        let first = try rows(cache) ?? 0
        #expect((1_501...1_502).contains(first), "one slice before all changes")
        try keep(3, on: store)
        store.commit()
        let second = try rows(cache) ?? 0
        #expect((502...505).contains(second), "one slice after each batch")
        try keep(4, on: store)
        store.commit()
        #expect(try rows(cache) == 3)
        #expect(try purge(Self.selections[0], store) == 3)
    }

    @Test func `and no row is lost whose rendition is in memory or in the index`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        try cache.open().close()
        let index = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        let statements = try IndexStatements(index)
        let names = (1...3).map { Picture($0).rendition.key.digest }
        for name in names {
            try statements.apply(.noteWatermark(name, of: Self.logo.source, url: Self.url))
        }
        try statements.apply(.putRendition(Picture(2).rendition, of: nil, url: nil, accessed: 0))
        var lost = LostWatermarks()
        try lost.removeNext(from: index, unless: { $0 == names[0] }, beforeEach: {})
        #expect(lost.isOver)
        #expect(try rows(cache) == 2)
        let kept = try WatermarkedRows.keys(after: [0], most: 10, in: index)
        #expect(!kept.contains(names[2].bytes))
    }

    @Test func `and lost rows that cannot be removed wait for the next opening`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        try cache.open().close()
        try addLostRows(1, to: cache)
        let index = try Database(path: cache.folder + "/index.sqlite", .readOnly)
        var lost = LostWatermarks()
        try? lost.removeNext(from: index, unless: { _ in false }, beforeEach: {})
        #expect(lost.isOver)
        #expect(try rows(cache) == 1)
    }

    /// Adds rows of renditions that are not in the index.
    private func addLostRows(_ count: Int, to cache: CacheUnderTest) throws {
        try Database(path: cache.folder + "/index.sqlite", .readWrite).execute(
            """
            WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count))
            INSERT INTO watermarked SELECT randomblob(32), n, 'http://a.test/x/lost' FROM numbers
            """)
    }

    @Test func `in an index that had no such table until now, from the next rendition on`() throws {
        let cache = try CacheUnderTest()
        let first = try cache.open()
        try fill(first)
        first.close()
        try Database(path: cache.folder + "/index.sqlite", .readWrite).execute("DROP TABLE watermarked")
        let store = try cache.open()
        defer { store.close() }
        #expect(store.setAside == nil)
        try keep(3, on: store)
        #expect(try purge(Self.selections[0], store) == 1)
        #expect(store.bytes(rendition: 1) == Picture(1).bytes && store.bytes(rendition: 3) == nil)
    }

    @Test func `an index without the table is read and written all the same`() throws {
        let cache = try CacheUnderTest()
        try cache.open().close()
        let index = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        try index.execute("DROP TABLE watermarked")
        let statements = try IndexStatements(index)
        let name = Picture(1).rendition.key.digest
        try statements.apply(.noteWatermark(name, of: Self.logo.source, url: Self.url))
        try statements.apply(.deleteRendition(name))
        let queries = try IndexQueries(path: cache.folder + "/index.sqlite", .readOnly)
        let found = try queries.renditions(of: [Self.logo.source])
        #expect(found.isEmpty)
    }
}
