// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Pipeline
@testable import Stores
import Testing

@Suite("Headers that an older version has read otherwise are not believed")
struct OldHeaderTests {
    /// A cache that an older version has left: a TIFF, another original and a rendition.
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
        // As many marks as fit on one page: one more needs another page, which is not available.
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
        let outdated = try IndexMigration.outdated(index)
        #expect(held == 2 && outdated != nil)
        try index.execute("PRAGMA max_page_count=1000000")
        try IndexMigration.forgetOldHeaders(index)
        let kept = try index.integer("SELECT count(*) FROM originals")
        let rest = try IndexMigration.outdated(index)
        #expect(kept == 1 && rest == nil)
    }

    private func header(
        _ format: ImageFormat, _ width: Int, _ height: Int, pages: Int = 1, components: UInt8 = 0,
        hasAlpha: Bool = false, isProgressive: Bool = false, isDeep: Bool = false
    ) -> ImageHeader {
        var header = ImageHeader(
            format: format, width: width, height: height, pages: pages, hasAlpha: hasAlpha,
            isProgressive: isProgressive, isDeep: isDeep)
        header.components = components
        return header
    }

    @Test func `of edition 2 that goes whose price may be far too low, and nothing else`() throws {
        let headers: [(header: ImageHeader, stays: Bool)] = [
            (header(.tiff, 2, 2), false), (header(.jxl, 2, 2), false),
            (header(.svg, 2, 2), false), (header(.jpeg, 2, 2, components: 2), false),
            (header(.gif, 2, 2), true), (header(.webp, 9_000, 1_000), true),
            (header(.avif, 9_000, 1_000), true), (header(.heic, 9_000, 1_000), true),
            (header(.jpeg, 3_000, 2_000, isProgressive: true), false),
            (header(.jpeg, 3_000, 2_000, components: 10, isProgressive: true), false),
            (header(.jpeg, 3_000, 2_000, components: 1, isProgressive: true), true),
            (header(.jpeg, 3_000, 2_000, components: 4, isProgressive: true), true),
            (header(.jpeg, 3_000, 2_000), true), (header(.jpeg, 2_000, 2_000, isProgressive: true), true),
            (header(.png, 9_000, 1_000), false), (header(.png, 9_000, 1_000, isDeep: true), true),
            (header(.png, 3_000, 2_000), true), (header(.png, 2_000, 500), true),
            (header(.webp, 2, 2, pages: 2), false),
        ]
        try check(headers, ofEdition: 2)
    }

    @Test func `of edition 4 TIFFs go, and moving WebPs without alpha`() throws {
        try check(
            [
                (header(.tiff, 2, 2), false), (header(.tiff, 2, 2, pages: 3, hasAlpha: true), false),
                (header(.webp, 2, 2, pages: 2), false), (header(.webp, 2, 2, pages: 2, hasAlpha: true), true),
                (header(.webp, 2, 2), true), (header(.webp, 2, 2, hasAlpha: true), true),
                (header(.gif, 2, 2, pages: 2), true), (header(.svg, 2, 2, hasAlpha: true), true),
                (header(.jxl, 2, 2), true), (header(.jpeg, 2, 2, components: 2), true),
            ], ofEdition: 4)
    }

    /// Keeps originals with these headers as that edition did, and opens the cache again.
    private func check(_ headers: [(header: ImageHeader, stays: Bool)], ofEdition edition: Int) throws {
        let cache = try CacheUnderTest()
        let first = try cache.open()
        for (number, row) in headers.enumerated() {
            let picture = Picture(number + 1)
            var original = picture.original()
            original.header = row.header
            _ = first.keepOriginal(original, cachingFields: "etag", body: try first.file(picture.bytes))
        }
        first.close()
        let index = try index(of: cache)
        try index.execute("UPDATE state SET value=\(edition) WHERE name='headers'")
        for _ in 1...2 {
            let store = try cache.open()
            defer { store.close() }
            for (number, row) in headers.enumerated() {
                let held = store.original(Picture(number + 1).original().key)
                #expect((held != nil) == row.stays, "\(row.header)")
            }
        }
        let left = try IndexMigration.outdated(index)
        #expect(left == nil)
    }
}
