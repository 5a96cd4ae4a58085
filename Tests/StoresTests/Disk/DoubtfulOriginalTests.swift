// SPDX-License-Identifier: Apache-2.0

import Foundation
import Pipeline
import SourceURLs
@testable import Stores
import Testing

@Suite("An original whose answer may be another URL's goes, and nothing of the other URL does")
struct DoubtfulOriginalTests: BucketSuite {
    let bucket = Bucket()
    let cache: CacheUnderTest

    init() throws { cache = try CacheUnderTest(inMemory: true) }

    private let doubtful = OriginalKey(url: "http://hostile.test/1")
    private let other = OriginalKey(url: "http://other.test/1")

    @Test func `on the disk, also after a crash`() throws {
        let store = try cache.open()
        defer { store.close() }
        for key in [doubtful, other] { try store.keep(original: Picture(1), url: key.url) }
        // A rendition of the doubtful original, as its row says.
        try store.keep(rendition: Picture(1), url: doubtful.url)
        try store.forgetOriginals([doubtful])
        let copy = try cache.snapshot()
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let next = try cache.open(in: copy)
        defer { next.close() }
        for store in [store, next] {
            #expect(store.original(doubtful) == nil && store.original(other) != nil)
            #expect(store.bytes(original: Picture(1)) == Picture(1).bytes)
            #expect(store.bytes(rendition: 1) == Picture(1).bytes)
        }
    }

    @Test func `on the disk, where the other one's original has made room already`() throws {
        let store = try cache.open()
        defer { store.close() }
        try store.keep(original: Picture(1), url: doubtful.url)
        try store.keep(rendition: Picture(1), url: other.url)
        try store.forgetOriginals([doubtful])
        #expect(store.bytes(original: Picture(1)) == nil)
        #expect(store.bytes(rendition: 1) == Picture(1).bytes)
    }

    @Test func `on the disk, with the variants that are named, and no others`() throws {
        let store = try cache.open()
        defer { store.close() }
        try store.keep(original: Picture(1), url: doubtful.url)
        let variants = ["aa", "bb"].map { OriginalKey(url: doubtful.url, variant: $0) }
        for (number, variant) in variants.enumerated() {
            try store.keep(original: Picture(2 + number), url: variant.text)
        }
        try store.forgetOriginals([variants[0]])
        #expect(store.original(variants[0]) == nil && store.original(variants[1]) != nil)
        #expect(store.original(doubtful) != nil)
    }

    @Test func `in the shared store, also after a restart`() async throws {
        try fill()
        let key = Self.picture.original().key
        let name = ObjectName.entry(key).text
        let entry = bucket.state.withLock { $0.objects[name] }
        let store = try bucket.open(in: cache)
        try await store.forget(doubtful: [key])
        #expect(await store.original(key) == nil)
        store.close()
        #expect(bucket.state.withLock { $0.objects.count == 2 && $0.objects[name] == nil })
        // As after a deletion that came too early, or never.
        bucket.state.withLock { $0.objects[name] = entry }
        let again = try bucket.open(in: cache)
        defer { again.close() }
        #expect(await again.original(key) == nil)
        #expect(again.statistics.purged == 1)
        #expect(await again.rendition(Self.picture.rendition.key, of: Self.picture.source) != nil)
    }
}
