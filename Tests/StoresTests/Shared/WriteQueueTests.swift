// SPDX-License-Identifier: Apache-2.0

import Bytes
import HTTPSemantics
import Kernel
import Pipeline
import Recipes
import SourceURLs
@testable import Stores
import Testing

/// A queue in a class, so that the expectations' macros can change it.
private final class Queue {
    private var value: WriteQueue

    init(count: Int, bytes: Int) { value = WriteQueue(count: count, bytes: bytes) }

    var count: Int { value.count }
    var bytes: Int { value.bytes }
    var isIdle: Bool { value.isIdle }
    func push(_ change: StoreChange) -> Bool { value.push(change) }
    func pop(at now: Int64 = 0, isLast: Bool = false) -> StoreChange? { value.pop(at: now, isLast: isLast) }
    func pause(at now: Int64) -> Int64? { value.pause(at: now) }
    func hurry(_ name: ObjectName) { value.hurry { $0 == name } }
    func isAwaited(_ change: StoreChange) -> Bool { value.isAwaited(change) }
    func finish(_ change: StoreChange) { value.finish(change) }
    func putBack(_ change: StoreChange) { value.putBack(change) }
    func drop(where isMeant: (StoreChange) -> Bool) { value.drop(where: isMeant) }
    func dropAll() -> Int { value.dropAll() }
}

@Suite("Writes wait in a bounded queue, in the order that an object needs")
struct WriteQueueTests {
    private static func put(_ number: Int, length: Int = 10) -> StoreChange {
        var change = StoreChange(
            .put(
                .original(Picture(number).source),
                .held(.bytes(ImmutableBytes([UInt8](repeating: 1, count: length)))),
                metadata: [], at: Timestamp(seconds: 0)))
        change.digest = Picture(number).source
        change.key = OriginalKey(url: "http://host/\(number)")
        return change
    }

    private static func purge(_ number: Int) -> StoreChange {
        StoreChange(.purge([.entry(OriginalKey(url: "http://host/\(number)"))], []))
    }

    private static let size = 10 + Envelope.trailerSize

    @Test func `it takes as many, and as many bytes, as it may, and no more`() {
        let queue = Queue(count: 3, bytes: 1_000)
        for number in 0..<3 { #expect(queue.push(Self.put(number))) }
        #expect(!queue.push(Self.put(3)) && queue.count == 3 && queue.bytes == 3 * Self.size)
        let small = Queue(count: 100, bytes: 2 * Self.size)
        #expect(small.push(Self.put(0)) && small.push(Self.put(1)) && !small.push(Self.put(2)))
        #expect(small.pop() != nil && small.push(Self.put(2)))
    }

    @Test func `a later write of the same object takes the place of one that waits`() {
        let queue = Queue(count: 1, bytes: 1_000)
        #expect(queue.push(Self.put(0, length: 10)) && queue.push(Self.put(0, length: 20)))
        #expect(queue.count == 1 && queue.bytes == Self.size + 10)
    }

    @Test func `one object is written once at a time`() throws {
        let queue = Queue(count: 9, bytes: 1_000)
        #expect(queue.push(Self.put(0)))
        let first = try #require(queue.pop())
        #expect(queue.push(Self.put(0)) && queue.push(Self.put(1)))
        #expect(try #require(queue.pop()).digest == Picture(1).source)
        #expect(queue.pop() == nil)
        queue.finish(first)
        #expect(try #require(queue.pop()).digest == Picture(0).source)
    }

    @Test func `an entry waits for its bytes`() throws {
        let queue = Queue(count: 9, bytes: 1_000)
        let key = OriginalKey(url: "http://host/0")
        var entry = StoreChange(.put(.entry(key), .none, metadata: [1], at: Timestamp(seconds: 0)))
        (entry.key, entry.digest) = (key, Picture(0).source)
        #expect(queue.push(Self.put(0)) && queue.push(entry) && queue.push(Self.put(1)))
        let bytes = try #require(queue.pop())
        let others = try #require(queue.pop())
        #expect(others.digest == Picture(1).source && queue.pop() == nil)
        #expect(queue.isAwaited(bytes) && !queue.isAwaited(others))
        queue.finish(bytes)
        #expect(try #require(queue.pop()).name == .entry(key))
    }

    @Test func `an entry with bytes in it waits for no others, and takes as much room as they do`() throws {
        let queue = Queue(count: 9, bytes: 1_000)
        let key = OriginalKey(url: "http://host/0")
        var entry = StoreChange(
            .put(.entry(key), .later({ nil }, length: 100), metadata: [1], at: Timestamp(seconds: 0)))
        (entry.key, entry.digest) = (key, Picture(0).source)
        #expect(queue.push(Self.put(0)) && queue.pop() != nil && queue.push(entry))
        #expect(queue.bytes == 101 + Envelope.trailerSize)
        #expect(try #require(queue.pop()).name == .entry(key))
    }

    @Test func `a 304 leaves the bytes that wait for its entry where they are`() throws {
        let key = OriginalKey(url: "http://host/0")
        func entry(_ content: StoreChange.Content, _ number: Int) -> StoreChange {
            var change = StoreChange(
                .put(.entry(key), content, metadata: [1], at: Timestamp(seconds: Int64(number))))
            (change.key, change.digest) = (key, Picture(number).source)
            return change
        }
        let held = StoreChange.Content.held(.bytes(ImmutableBytes([UInt8](repeating: 1, count: 10))))
        let confirmed = StoreChange.Content.later({ nil }, length: 10)
        for (number, isHeld) in [(0, true), (1, false)] {
            let queue = Queue(count: 9, bytes: 1_000)
            #expect(queue.push(entry(held, 0)) && queue.push(entry(confirmed, number)))
            guard case .put(_, let content, _, let time) = try #require(queue.pop()).kind else {
                Issue.record("no entry")
                return
            }
            let holds = if case .held = content { true } else { false }
            #expect(holds == isHeld && time == Timestamp(seconds: Int64(number)))
            #expect(queue.count == 0 && queue.bytes == 0)
        }
    }

    private static func put(_ number: Int, due: Int64?) -> StoreChange {
        var change = put(number)
        change.due = due
        return change
    }

    @Test func `a change that is not due yet is passed over until it is`() throws {
        let queue = Queue(count: 9, bytes: 1_000)
        #expect(
            queue.push(Self.put(0, due: 100)) && queue.push(Self.put(1)) && queue.push(Self.put(2, due: 50)))
        #expect(try #require(queue.pop(at: 0)).digest == Picture(1).source)
        #expect(queue.pop(at: 49) == nil && queue.pause(at: 49) == 1)
        #expect(try #require(queue.pop(at: 50)).digest == Picture(2).source)
        #expect(queue.pop(at: 50) == nil && queue.pause(at: 50) == 50)
        #expect(try #require(queue.pop(at: 100)).digest == Picture(0).source)
        #expect(queue.pause(at: 100) == nil)
    }

    @Test
    func `a change that is not due is made where it is asked for, where room is scarce, and at the end`()
        throws
    {
        let queue = Queue(count: 4, bytes: 1_000)
        for number in 0..<2 { #expect(queue.push(Self.put(number, due: 100))) }
        #expect(queue.pop() == nil)
        queue.hurry(.original(Picture(1).source))
        #expect(try #require(queue.pop()).digest == Picture(1).source)
        #expect(queue.pop() == nil)
        #expect(try #require(queue.pop(isLast: true)).digest == Picture(0).source)
        for number in 2..<5 { #expect(queue.push(Self.put(number, due: 100))) }
        #expect(queue.pause(at: 0) == nil)
        #expect(try #require(queue.pop()).digest == Picture(2).source)
        #expect(queue.pop() == nil)
        let small = Queue(count: 9, bytes: 3 * Self.size)
        for number in 0..<2 { #expect(small.push(Self.put(number, due: 100))) }
        #expect(small.pop() != nil && small.pop() == nil)
    }

    @Test func `a purge comes behind what was there before it, due or not`() throws {
        let queue = Queue(count: 9, bytes: 1_000)
        #expect(
            queue.push(Self.put(0, due: 100)) && queue.push(Self.purge(0))
                && queue.push(Self.put(0, due: 100)))
        let first = try #require(queue.pop())
        #expect(first.digest == Picture(0).source && queue.pop() == nil)
        queue.finish(first)
        let purge = try #require(queue.pop())
        #expect(!purge.leaving.isEmpty)
        queue.finish(purge)
        #expect(queue.pop(at: 99) == nil && queue.pop(at: 100) != nil)
    }

    @Test func `a change that takes the place of another is due no later than that`() {
        for (first, second, due) in [(50, 100, 50), (100, 50, 50), (nil, 100, 0), (100, nil, 0)]
            as [(Int64?, Int64?, Int64)]
        {
            let queue = Queue(count: 9, bytes: 1_000)
            #expect(queue.push(Self.put(0, due: first)) && queue.push(Self.put(0, due: second)))
            #expect(queue.pop(at: due - 1) == nil || due == 0)
            #expect(queue.count == 0 || queue.pop(at: due) != nil)
        }
    }

    @Test func `what is dropped is not waited for`() {
        let queue = Queue(count: 9, bytes: 1_000)
        #expect(queue.push(Self.put(0, due: 100)) && queue.push(Self.put(1, due: 200)))
        queue.drop { $0.digest == Picture(0).source }
        #expect(queue.pause(at: 0) == 200 && queue.dropAll() == 1 && queue.pause(at: 0) == nil)
    }

    @Test func `a purge waits for what is under way, and what comes later waits for it`() throws {
        let queue = Queue(count: 9, bytes: 1_000)
        #expect(queue.push(Self.put(0)))
        let first = try #require(queue.pop())
        #expect(queue.push(Self.purge(0)) && queue.push(Self.put(0)))
        #expect(queue.pop() == nil)
        queue.finish(first)
        let purge = try #require(queue.pop())
        #expect(!purge.leaving.isEmpty && queue.pop() == nil)
        queue.putBack(purge)
        queue.finish(purge)
        let again = try #require(queue.pop())
        #expect(!again.leaving.isEmpty)
        queue.finish(again)
        let last = try #require(queue.pop())
        #expect(last.leaving.isEmpty && queue.count == 0 && !queue.isIdle)
        queue.finish(last)
        #expect(queue.isIdle && queue.bytes == 0)
    }

    @Test func `what is purged is not written any more, and a purge finds room in a full queue`() {
        let queue = Queue(count: 2, bytes: 1_000)
        #expect(queue.push(Self.put(0)) && queue.push(Self.put(1)) && !queue.push(Self.put(2)))
        #expect(queue.push(Self.purge(0)))
        queue.drop { $0.digest == Picture(0).source }
        #expect(queue.count == 2 && queue.bytes == Self.size)
        #expect(queue.dropAll() == 2 && queue.bytes == 0)
    }
}
