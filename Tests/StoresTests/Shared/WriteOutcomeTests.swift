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

@Suite("A node learns when the shared store has what it wrote", .timeLimit(.minutes(1)))
struct WriteOutcomeTests {
    private let bucket = Bucket()
    private let cache: CacheUnderTest

    init() throws { cache = try CacheUnderTest(inMemory: true) }

    private static let picture = Picture(7, length: 5_000)

    private var original: Original {
        var original = Self.picture.original()
        original.freshness.responseTime = bucket.state.withLock { $0.now }
        return original
    }

    private func offerBoth(_ store: SharedStore) {
        let body = Body.bytes(ImmutableBytes(Self.picture.bytes))
        store.offer(original, fields: StoredFields(Fields()), body: body)
        store.offer(Self.picture.rendition, of: Self.picture.source, body: body)
    }

    private func areWritten(_ store: SharedStore) async -> [Bool] {
        [
            await store.isWritten(original, tags: []),
            await store.isWritten(Self.picture.rendition.key, of: Self.picture.source),
        ]
    }

    private func setFree(_ change: (inout Bucket.State) -> Void) {
        bucket.state.withLock(change)
        bucket.state.wakeAll()
    }

    @Test func `it waits for the write, and not for less`() async throws {
        let store = try bucket.open(in: cache)
        defer { store.close() }
        bucket.state.withLock { $0.isHolding = true }
        offerBoth(store)
        bucket.awaitWrite()
        async let written = areWritten(store)
        setFree { $0.isHolding = false }
        #expect(await written == [true, true])
        #expect(bucket.state.withLock { $0.objects.count } == 3)
        // There is nothing to wait for any more.
        #expect(await areWritten(store) == [true, true])
    }

    @Test func `what the store refused is not written, until it is`() async throws {
        let store = try bucket.open(in: cache)
        defer { store.close() }
        bucket.state.withLock { $0.failingWrites = 3 }
        offerBoth(store)
        #expect(await areWritten(store) == [false, false])
        offerBoth(store)
        #expect(await areWritten(store) == [true, true])
    }

    @Test func `what did not fit into the queue is not written`() async throws {
        let store = try bucket.open({ $0.queueBytes = 1_000 }, in: cache)
        defer { store.close() }
        offerBoth(store)
        #expect(await areWritten(store) == [false, false])
    }

    @Test func `while nothing is written, nobody waits`() async throws {
        let store = try bucket.open(in: cache)
        defer { store.close() }
        bucket.state.withLock { $0.failingWrites = 100 }
        for number in 0..<StoreBreaker.threshold {
            store.offer(
                Picture(number).rendition, of: Picture(number).source,
                body: .bytes(ImmutableBytes(Picture(number).bytes)))
            _ = await store.isWritten(Picture(number).rendition.key, of: Picture(number).source)
        }
        #expect(store.statistics.writing == 0)
        offerBoth(store)
        #expect(await areWritten(store) == [false, false])
        bucket.state.withLock { ($0.failingWrites, $0.ticks) = (0, StoreBreaker.rests.upperBound) }
    }

    @Test func `a writer that cannot be had is asked for again, and told of once`() async throws {
        bucket.state.withLock { $0.lackingWriters = 3 }
        let store = try bucket.open(in: cache)
        offerBoth(store)
        #expect(await areWritten(store) == [true, true])
        store.close()
        #expect(bucket.state.withLock { $0.objects.count } == 3)
        #expect(bucket.state.withLock { $0.events } == [.noWriter])
    }

    @Test func `a store that never has a writer closes, and drops what waits`() throws {
        bucket.state.withLock { $0.lackingWriters = .max }
        let store = try bucket.open({ $0.farewell = 1 }, in: cache)
        offerBoth(store)
        store.close()
        #expect(bucket.state.withLock { $0.objects.isEmpty })
        #expect(store.statistics.dropped == 3)
    }

    @Test func `what is dropped at the end is not written`() async throws {
        let store = try bucket.open({ ($0.farewell, $0.lastPatience) = (1, 1) }, in: cache)
        bucket.state.withLock { $0.isHolding = true }
        defer { setFree { $0.isHolding = false } }
        offerBoth(store)
        bucket.awaitWrite()
        store.close()
        #expect(await areWritten(store) == [false, false])
    }

    @Test func `what was purged meanwhile is not there for others`() async throws {
        let store = try bucket.open(in: cache)
        defer { store.close() }
        bucket.state.withLock { $0.isHolding = true }
        offerBoth(store)
        bucket.awaitWrite()
        let order = PurgeOrder(.url(original.key))
        var purged = PurgedOriginals()
        purged.orphans = [Self.picture.source]
        try await store.mark(order)
        try await store.purge(order, of: purged)
        async let written = areWritten(store)
        setFree { $0.isHolding = false }
        #expect(await written == [false, false])
    }

    /// If the entry contains its bytes, it is being written when it must be deleted; otherwise it waits behind its bytes.
    @Test(arguments: [1_000, 10_000])
    func `what was forgotten behind its offer is not written, until it is offered anew`(enclosed: Int)
        async throws
    {
        let store = try bucket.open({ $0.enclosed = enclosed }, in: cache)
        defer { store.close() }
        bucket.state.withLock { $0.isHolding = true }
        offerBoth(store)
        bucket.awaitWrite()
        store.forget(original.key)
        async let written = areWritten(store)
        setFree { $0.isHolding = false }
        #expect(await written == [false, true])
        offerBoth(store)
        #expect(await areWritten(store) == [true, true])
    }

    @Test func `what is not shared is not written`() async throws {
        let store = try bucket.open(
            { ($0.originals, $0.renditions) = (false, false) }, in: cache)
        defer { store.close() }
        offerBoth(store)
        #expect(await areWritten(store) == [false, false])
    }
}
