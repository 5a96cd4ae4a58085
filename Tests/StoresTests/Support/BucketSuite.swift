// SPDX-License-Identifier: Apache-2.0

import Bytes
import HTTPCaching
import HTTPSemantics
import Kernel
import Pipeline
import Recipes
import SourceURLs
@testable import Stores
import Testing

/// A suite over a bucket in memory. Before the next store is opened, the former one is closed, which waits until everything is
/// written.
protocol BucketSuite {
    var bucket: Bucket { get }
    /// The cache with the files that come from the bucket.
    var cache: CacheUnderTest { get }
}

extension BucketSuite {
    static var picture: Picture { Picture(7, length: 5_000) }
    static var fields: StoredFields {
        StoredFields(
            Fields([Fields.Field("ETag", "\"1\""), Fields.Field("Cache-Tag", "shop")]))
    }

    static func original(at time: Timestamp) -> Original {
        var original = picture.original()
        original.freshness.responseTime = time
        return original
    }

    static func body(_ picture: Picture = picture) -> Body { .bytes(ImmutableBytes(picture.bytes)) }

    /// Writes an original and a rendition of it, and closes the store.
    func fill() throws {
        let store = try bucket.open(in: cache)
        store.offer(
            Self.original(at: bucket.state.withLock { $0.now }), fields: Self.fields, body: Self.body())
        store.offer(Self.picture.rendition, of: Self.picture.source, body: Self.body(Picture(8)))
        store.close()
        #expect(bucket.state.withLock { $0.objects.count } == 3)
    }

    /// Marks the purge and carries it out, as the cache does; `orphans` are bytes that no other URL has.
    func purge(
        _ store: SharedStore, _ selection: PurgeSelection, isSoft: Bool = false,
        orphans: Set<OriginalDigest> = []
    ) async throws {
        let order = PurgeOrder(selection, isSoft: isSoft)
        var purged = PurgedOriginals()
        purged.orphans = orphans
        try await store.mark(order)
        try await store.purge(order, of: purged)
    }

    func pass(seconds: Int64) {
        bucket.state.withLock { $0.now = $0.now.adding(seconds: seconds) }
    }

    func bytes(_ body: Body?) -> [UInt8]? {
        guard case .file(let file, let length)? = body else { return nil }
        return FileIO.bytes(of: file.raw, at: 0, count: length)
    }

    static func enclose(_ configuration: inout SharedStoreConfiguration) {
        configuration.enclosed = picture.bytes.count
    }
}
