// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import Kernel
import Pipeline
import Recipes
import SourceURLs
@testable import Stores
import Synchronization
import Testing

/// These tests do not measure time: a request waits for an eviction only if both need the same lock, and a row waits only for the
/// slice that is under way.
@Suite struct DiskSliceTests {
    @Test func `looking up and opening wait for no removal`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        defer { store.close() }
        for number in 0..<100 { try store.keep(rendition: Picture(number)) }
        let key = Picture.renditionKey(7)
        // All locks of files are taken, as if 64 files were being removed from a disk that does not answer.
        let isTaken = Monitor(0)
        let isOver = Monitor(false)
        let holders = try (0..<64).map { turn in
            try WorkerThread("holder") {
                store.catalogue.renditions.withTurn(Digest(words: (0, UInt64(turn) << 32, 0, 0))) {
                    isTaken.withLock { $0 += 1 }
                    isTaken.wakeAll()
                    isOver.wait { $0 ? () : nil }
                }
            }
        }
        #expect(isTaken.wait(milliseconds: 60_000) { $0 == 64 ? true : nil } == true, "all turns are taken")
        #expect(store.rendition(key) != nil)
        #expect(store.bytes(rendition: 7) == Picture(7).bytes)
        isOver.set()
        for holder in holders { holder.join() }
    }

    @Test func `a change waits for one slice at most, however much has to leave`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let first = try cache.open()
        for number in 0..<3_000 { try first.keep(rendition: Picture(number, length: 10)) }
        first.close()
        // Everything must be evicted, one slice per turn of the writer.
        let second = try cache.open { $0.renditionsBudget = 4_096 }
        defer { second.close() }
        var steps: [Int] = []
        var evictor = Evictor(second.catalogue, high: 0.95, low: 0.9, seed: 1)
        while true {
            let count = evictor.next(at: second.seconds, shortage: .none).count
            if count == 0 { break }
            steps.append(count)
        }
        #expect(steps.allSatisfy { $0 <= Evictor.slice })
        second.flush()
        #expect(second.statistics.renditions == 0)
    }

    @Test func `the writer serves the queue between two slices`() throws {
        let queue = ChangeQueue(interval: 3_600_000)
        let change = Change(.touchRendition(Picture.renditionKey(1).digest, accessed: 1))
        for _ in 0..<2_500 { queue.push([change]) }
        // A busy writer gets the waiting changes without waiting, one transaction's worth at a time.
        #expect([1_000, 1_000, 500, 0].allSatisfy { queue.take(.busy)?.count == $0 })
    }

    @Test func `who waits for a change waits for no eviction that goes on behind it`() {
        let queue = ChangeQueue(interval: 3_600_000)
        queue.push(.deleteRendition(Picture.renditionKey(1).digest))
        let count = queue.take(.busy)?.count ?? 0
        // There is more to evict.
        queue.finish(count, heldBack: [], isSettled: false)
        queue.flush(forRoom: false)
        #expect(count == 1)
    }

    @Test(.timeLimit(.minutes(1))) func `who may go on without a change waits for no disk that hangs`() {
        let queue = ChangeQueue(interval: 3_600_000)
        queue.push(.deleteRendition(Picture.renditionKey(1).digest))
        queue.flush(forRoom: false, unless: { true })
        #expect(queue.take(.busy)?.count == 1)
    }

    // The test passes within its time limit only if the writer does not wait for more changes.
    @Test(.timeLimit(.minutes(1)))
    func `the writer waits for no others once a quarter of the texts that may wait are there`() {
        let queue = ChangeQueue(interval: 3_600_000)
        let fields = String(repeating: "x", count: ChangeQueue.textLimit / 4)
        queue.push(
            .refreshOriginal(
                OriginalKey(url: "http://a.test/1"), Picture.freshness(lifetime: 1), lastModified: nil,
                fields: fields))
        #expect(queue.take(.idle)?.count == 1)
    }

    @Test func `changes are bounded by the bytes of their texts, wherever these wait`() {
        let queue = ChangeQueue(interval: 3_600_000)
        let fields = String(repeating: "x", count: 1 << 20)
        for number in 1...ChangeQueue.textLimit >> 20 {
            #expect(!queue.isFull, "before change \(number)")
            queue.push(
                .refreshOriginal(
                    OriginalKey(url: "http://a.test/\(number)"), Picture.freshness(lifetime: 1),
                    lastModified: nil, fields: fields))
        }
        #expect(queue.isFull)
        let batch = queue.take(.busy) ?? []
        #expect(queue.isFull, "the writer has them")
        queue.finish(batch.count, heldBack: batch, isSettled: true)
        #expect(queue.isFull, "the writer holds them back")
        queue.finish(0, heldBack: [], isSettled: true)
        #expect(!queue.isFull)
    }
}
