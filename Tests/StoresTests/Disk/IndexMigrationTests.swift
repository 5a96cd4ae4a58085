// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HTTPCaching
import HTTPSemantics
import ImageHeaders
import Pipeline
import SourceURLs
@testable import Stores
import Testing

@Suite("An index of the version before is brought to this one")
struct IndexMigrationTests {
    /// Makes an index of version 1, which had neither tags nor their table nor the originals of renditions, and recorded only
    /// alpha.
    private func downgrade(_ cache: CacheUnderTest) throws {
        try downgradeByOne(cache)
        let database = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        try database.execute(
            """
            DROP TABLE tags; DROP INDEX originals_by_url; DROP INDEX renditions_by_original;
            ALTER TABLE renditions DROP COLUMN original; ALTER TABLE originals RENAME COLUMN traits TO alpha;
            PRAGMA user_version=1;
            """)
    }

    /// Makes an index of version 2, which did not record for which URLs renditions were made.
    private func downgradeByOne(_ cache: CacheUnderTest) throws {
        let database = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        try database.execute(
            "DROP INDEX renditions_by_url; ALTER TABLE renditions DROP COLUMN url; PRAGMA user_version=2;")
    }

    @Test func `nothing is lost, tags are found, and old renditions go with what is purged`() throws {
        let cache = try CacheUnderTest()
        let first = try cache.open()
        try first.keep(original: Picture(1), url: "http://a.test/1", fields: "cache-tag: one, two")
        try first.keep(original: Picture(2), url: "http://a.test/2", fields: "etag: \"2\"")
        try first.keep(rendition: Picture(1))
        first.close()
        try downgrade(cache)
        let store = try cache.open()
        defer { store.close() }
        #expect(store.setAside == nil)
        #expect((store.statistics.originals, store.statistics.renditions) == (2, 1))
        #expect(store.bytes(rendition: 1) == Picture(1).bytes)
        let order = PurgeOrder(.tag("two"))
        let purged = try store.purgeOriginals(order)
        #expect(purged.keys == [OriginalKey(url: "http://a.test/1")])
        #expect(try store.purgeRenditions(order, of: purged) == 1)
        try store.keep(rendition: Picture(2))
        store.flush()
    }

    @Test func `old renditions go with their originals, and new ones with their URLs as well`() throws {
        let cache = try CacheUnderTest()
        let first = try cache.open()
        for number in 1...2 { try first.keep(original: Picture(number)) }
        try first.keep(rendition: Picture(1))
        first.close()
        try downgradeByOne(cache)
        let store = try cache.open()
        defer { store.close() }
        #expect(store.setAside == nil && store.bytes(rendition: 1) == Picture(1).bytes)
        try store.keep(rendition: Picture(2))
        for number in 1...2 {
            if number == 2 { store.forgetOriginal(Picture(2).original().key) }
            let order = PurgeOrder(.url(Picture(number).original().key))
            #expect(try store.purgeRenditions(order, of: try store.purgeOriginals(order)) == 1)
        }
        #expect(cache.files("renditions").isEmpty)
    }

    @Test func `where it cannot be written yet, a purge is carried out in memory, and says so`() throws {
        let cache = try CacheUnderTest()
        let first = try cache.open()
        try first.keep(original: Picture(1))
        try first.keep(rendition: Picture(1))
        first.close()
        try downgradeByOne(cache)
        let blocker = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        try blocker.execute("BEGIN IMMEDIATE")
        let store = try cache.open()
        defer { store.close() }
        #expect(store.isReadOnly)
        let order = PurgeOrder(.url(Picture(1).original().key))
        let purged = try store.purgeOriginals(order)
        #expect(purged.count == 1 && purged.failure?.isCarriedOut == true)
        #expect(try store.purgeRenditions(order, of: purged) == 1)
        try blocker.execute("ROLLBACK")
    }

    @Test func `on a full disk it is written as it is, and brought to this one once there is room`() throws {
        let cache = try CacheUnderTest()
        let first = try cache.open()
        try first.keep(rendition: Picture(1))
        first.close()
        try downgradeByOne(cache)
        do {
            let index = try Database(path: cache.folder + "/index.sqlite", .readWrite)
            try index.execute("VACUUM")
            // An index on the table needs another page, which is not available.
            let pages = try index.integer("PRAGMA page_count") ?? 0
            try index.execute("PRAGMA max_page_count=\(pages)")
            try IndexMigration.migrate(index, from: 2, to: 3)
            let version = try index.integer("PRAGMA user_version")
            #expect(version == 2)
            let statements = try IndexStatements(index)
            let (rendition, source) = (Picture(2).rendition, Picture(2).source)
            try statements.apply(.putRendition(rendition, of: source, url: "http://a.test/2", accessed: 1))
        }
        let store = try cache.open()
        defer { store.close() }
        #expect(store.setAside == nil && !store.isReadOnly && store.statistics.renditions == 2)
        try store.keep(rendition: Picture(3))
        let order = PurgeOrder(.url(Picture(3).original().key))
        #expect(try store.purgeRenditions(order, of: try store.purgeOriginals(order)) == 1)
    }

    @Test
    func `headers that an older version has read otherwise are forgotten once, and their pictures stay`()
        throws
    {
        let cache = try CacheUnderTest()
        let first = try cache.open()
        var tiff = Picture(1).original(url: "http://a.test/1")
        tiff.header = ImageHeader(format: .tiff, width: 2, height: 2, pages: 2)
        _ = first.keepOriginal(
            tiff, cachingFields: "cache-tag: one", body: try first.file(Picture(1).bytes))
        try first.keep(original: Picture(2), url: "http://a.test/2", fields: "cache-tag: one")
        try first.keep(rendition: Picture(1))
        first.close()
        let database = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        try database.execute("DELETE FROM state WHERE name='headers'")
        for (originals, keeps) in [(1, true), (2, false)] {
            let store = try cache.open()
            defer { store.close() }
            #expect((store.statistics.originals, store.statistics.renditions) == (originals, 1))
            #expect(store.bytes(rendition: 1) == Picture(1).bytes)
            #expect(try store.purgeOriginals(PurgeOrder(.tag("one"), isSoft: true)).count == originals)
            guard keeps else { continue }
            _ = store.keepOriginal(
                tiff, cachingFields: "cache-tag: one", body: try store.file(Picture(1).bytes))
        }
    }
}
