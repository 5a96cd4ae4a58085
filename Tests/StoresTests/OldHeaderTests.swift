// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Pipeline
@testable import Stores
import Testing

@Suite("Headers that an older version has read otherwise are not believed")
struct OldHeaderTests {
    /// A cache that an older version left: a TIFF, another original and a rendition.
    private func left() throws -> CacheUnderTest {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        var tiff = Picture(1).original()
        tiff.header = ImageHeader(format: .tiff, width: 2, height: 2, pages: 2)
        _ = store.keepOriginal(tiff, cachingFields: "etag", body: try store.file(Picture(1).bytes))
        try store.keep(original: Picture(2))
        try store.keep(rendition: Picture(1))
        store.close()
        let index = try index(of: cache)
        try index.execute("DELETE FROM state WHERE name='headers'")
        return cache
    }

    private func index(of cache: CacheUnderTest) throws -> Database {
        try Database(path: cache.folder + "/index.sqlite", .readWrite)
    }

    @Test func `where the index cannot be written, the rest is served`() throws {
        let cache = try left()
        let index = try index(of: cache)
        try index.execute("BEGIN IMMEDIATE")
        let reader = try cache.open()
        #expect(reader.isReadOnly)
        #expect(reader.original(Picture(1).original().key) == nil)
        #expect(reader.original(Picture(2).original().key) != nil)
        #expect(reader.bytes(rendition: 1) == Picture(1).bytes)
        reader.close()
        try index.execute("ROLLBACK")
        let store = try cache.open()
        defer { store.close() }
        #expect(!store.isReadOnly)
        #expect((store.statistics.originals, store.statistics.renditions) == (1, 1))
    }

    @Test func `on a full disk their rows stay, and go once there is room`() throws {
        let cache = try left()
        let index = try index(of: cache)
        try index.execute("VACUUM")
        // As many marks as one page holds: one more needs another page, which may not be had.
        let pages = try index.integer("PRAGMA page_count") ?? 0
        var marks = 0
        try index.execute("BEGIN")
        while try index.integer("PRAGMA page_count") == pages {
            marks += 1
            try index.execute("INSERT INTO state VALUES (printf('%07d', \(marks)), 2)")
        }
        try index.execute("ROLLBACK")
        for mark in 1..<marks {
            try index.execute("INSERT INTO state VALUES (printf('%07d', \(mark)), 2)")
        }
        try index.execute("PRAGMA max_page_count=\(pages)")
        try IndexMigration.forgetOldHeaders(index)
        let held = try index.integer("SELECT count(*) FROM originals")
        let outdated = try IndexMigration.outdatedFormats(index)
        #expect(held == 2 && !outdated.isEmpty)
        try index.execute("PRAGMA max_page_count=1000000")
        try IndexMigration.forgetOldHeaders(index)
        let kept = try index.integer("SELECT count(*) FROM originals")
        let rest = try IndexMigration.outdatedFormats(index)
        #expect(kept == 1 && rest.isEmpty)
    }
}
