// SPDX-License-Identifier: Apache-2.0

import Foundation
import Pipeline
import SourceURLs
@testable import Stores
import Testing

@Suite("A purge takes what was made for its URLs, whatever has become of their originals since")
struct FormerRenditionTests {
    private static let url = "http://a.test/x/1"

    private func purge(
        _ selection: PurgeSelection, _ store: DiskStore
    ) throws -> (originals: Int, renditions: Int) {
        let order = PurgeOrder(selection)
        let found = try store.countOriginals(order)
        let forecast = (found.count, try store.countRenditions(order, of: found))
        let purged = try store.purgeOriginals(order)
        let result = (purged.count, try store.purgeRenditions(order, of: purged))
        #expect(forecast == result, "the dry run has told it")
        return result
    }

    private static let selections: [PurgeSelection] = [
        .url(OriginalKey(url: url)), .prefix("http://a.test/x"), .host("a.test"), .tag("t"),
    ]

    @Test(arguments: selections)
    func `earlier versions of an original leave nothing behind`(selection: PurgeSelection) throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        for number in 1...3 {
            try store.keep(original: Picture(number), url: Self.url, fields: "cache-tag: t")
            try store.keep(rendition: Picture(number), url: Self.url)
        }
        try store.keep(original: Picture(4), url: "http://b.test/x/1")
        try store.keep(rendition: Picture(4), url: "http://b.test/x/1")
        #expect(try purge(selection, store) == (1, 3))
        #expect(cache.files("renditions").count == 1)
        #expect(store.bytes(rendition: 4) == Picture(4).bytes)
        store.close()
        let second = try cache.open()
        defer { second.close() }
        #expect(second.statistics.renditions == 1)
    }

    /// The tags are gone with the original.
    @Test(arguments: selections.dropLast(), [false, true])
    func `what was made of an original that made room since, or found none, goes as well`(
        selection: PurgeSelection, hadRoom: Bool
    ) throws {
        let cache = try CacheUnderTest()
        let key = OriginalKey(url: Self.url)
        let first = try cache.open {
            $0.originalsBudget = 10 * 4_096
            $0.commitInterval = 1
        }
        try first.keep(rendition: Picture(1), url: Self.url)
        if hadRoom { try first.keep(original: Picture(1, length: 1_000), url: Self.url) }
        cache.pass(seconds: 60)
        for number in 2..<200 where first.catalogue.names[NameKey(key)] != nil {
            try first.keep(original: Picture(number, length: 1_000))
            first.flush()
        }
        first.close()
        let store = try cache.open()
        defer { store.close() }
        #expect(store.original(key) == nil && store.bytes(rendition: 1) == Picture(1).bytes)
        #expect(try purge(selection, store) == (0, 1))
        #expect(cache.files("renditions").isEmpty)
    }

    @Test func `a purge that a kill has cut in two takes the rest when it is ordered again`() throws {
        let cache = try CacheUnderTest()
        let first = try cache.open()
        defer { first.close() }
        try first.keep(original: Picture(1), url: Self.url)
        try first.keep(rendition: Picture(1), url: Self.url)
        let order = PurgeOrder(.url(OriginalKey(url: Self.url)))
        #expect(try first.purgeOriginals(order).count == 1)
        let copy = try cache.snapshot()
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let second = try cache.open(in: copy)
        defer { second.close() }
        #expect(second.statistics.renditions == 1)
        #expect(try purge(order.selection, second) == (0, 1))
    }

    @Test func `what another original has stays, until that is gone as well`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        let other = "http://b.test/1"
        for url in [Self.url, other] { try store.keep(original: Picture(1), url: url) }
        try store.keep(rendition: Picture(1), url: Self.url)
        for count in [1, 0] { #expect(try purge(.url(OriginalKey(url: Self.url)), store) == (count, 0)) }
        store.forgetOriginal(OriginalKey(url: other))
        #expect(store.bytes(rendition: 1) == Picture(1).bytes)
        #expect(try purge(.url(OriginalKey(url: Self.url)), store) == (0, 1))
    }

    @Test func `of variants the URL counts, and of URLs the beginning, however long they are`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        let long = Self.url + String(repeating: "x", count: 2_000)
        for url in [Self.url + "#aa", long] {
            try store.keep(rendition: Picture(1), url: url)
            #expect(try purge(.url(OriginalKey(url: "\(Self.url)0")), store) == (0, 0))
            #expect(try purge(.url(OriginalKey(url: OriginalKey(text: url).url)), store) == (0, 1))
            try store.keep(rendition: Picture(1), url: url)
            #expect(try purge(.prefix(OriginalKey(text: url).url), store) == (0, 1))
        }
    }

    /// A store whose index was lost while a rendition's file is still there.
    private func storeAfterLoss(_ cache: CacheUnderTest) throws -> DiskStore {
        let first = try cache.open()
        try first.keep(rendition: Picture(1), url: Self.url)
        first.close()
        try FileManager.default.removeItem(atPath: cache.folder + "/index.sqlite")
        return try cache.open()
    }

    @Test func `what was found after a loss of the index may be of any URL, and goes with each`() throws {
        let cache = try CacheUnderTest()
        let store = try storeAfterLoss(cache)
        defer { store.close() }
        #expect(store.sweep().adopted == 1)
        #expect(try purge(.url(OriginalKey(url: Self.url)), store) == (0, 1))
        #expect(cache.files("renditions").isEmpty)
    }

    @Test func `what was not found yet by then is not found after a kill either`() throws {
        let cache = try CacheUnderTest()
        let store = try storeAfterLoss(cache)
        defer { store.close() }
        #expect(try purge(.url(OriginalKey(url: Self.url)), store) == (0, 0))
        let copy = try cache.snapshot()
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let second = try cache.open(in: copy)
        defer { second.close() }
        #expect(second.sweep().adopted == 0)
        #expect(CacheUnderTest.files(in: copy, "renditions").isEmpty)
    }
}
