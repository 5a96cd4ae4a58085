// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import ImageHeaders
import Pipeline
import SourceURLs
@testable import Stores
import Testing

@Suite("Rows whose numbers make no sense are no rows")
struct DiskRowTests {
    private static let columns = [
        "length", "format", "width", "height", "pages", "orientation", "traits", "last_modified",
        "response_time",
        "initial_age", "lifetime", "client_lifetime", "stale_while_revalidate", "stale_if_error", "flags",
        "accessed",
    ]
    private static let odd: [Int64] = [
        .min, .min + 1, -1, 0, 9, 255, 256, 1 << 31, 1 << 32, 1 << 40, (1 << 40) + 1, 1 << 62, .max - 4_096,
        .max,
    ]

    /// A cache with three pictures, of which one has this number in this column.
    private static func reopened(_ column: String, _ number: Int64) throws -> (CacheUnderTest, DiskStore) {
        let cache = try CacheUnderTest(inMemory: true)
        let first = try cache.open()
        for number in 1...3 {
            try first.keep(original: Picture(number))
            try first.keep(rendition: Picture(number))
        }
        first.close()
        let index = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        try index.execute("UPDATE originals SET \(column) = \(number) WHERE url = 'http://host/1'")
        if ["length", "format", "width", "height", "pages", "accessed"].contains(column) {
            try index.execute(
                "UPDATE renditions SET \(column) = \(number) WHERE key = (SELECT min(key) FROM renditions)")
        }
        return (cache, try cache.open())
    }

    @Test(arguments: columns)
    func `no number in a row ends the process that reads it`(column: String) throws {
        for number in Self.odd {
            let (cache, store) = try Self.reopened(column, number)
            defer { store.close() }
            for picture in 1...3 {
                let key = OriginalKey(url: "http://host/\(picture)")
                guard let original = store.original(key) else { continue }
                let sides = 0...Int(Int32.max)
                #expect(sides.contains(original.header.width) && sides.contains(original.header.height))
                #expect((1...8).contains(original.header.orientation))
                _ = original.freshness.state(at: cache.now)
                _ = store.openOriginal(original.digest)
                _ = store.openRendition(Picture.renditionKey(picture))
            }
            // A length of gigabytes exceeds the budget, so other entries are evicted for it.
            if column != "length" {
                #expect(store.original(OriginalKey(url: "http://host/2")) != nil, "\(column) \(number)")
            }
            #expect(store.statistics.originalBytes >= 0 && store.statistics.renditionBytes >= 0)
            _ = store.sweep()
        }
    }
}
