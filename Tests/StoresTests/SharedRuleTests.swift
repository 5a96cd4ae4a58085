// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HTTPSemantics
import Kernel
import Pipeline
import Recipes
import SourceURLs
@testable import Stores
import Testing

/// A breaker that the expectations' macros can change.
private final class Breaker {
    private var value = StoreBreaker()

    var isClosed: Bool { value.isClosed }
    func wait(at now: Int64) -> Int64 { value.wait(at: now) }
    func enter(at now: Int64) -> Bool { value.enter(at: now) }
    func left(_ isGood: Bool?, at now: Int64, chance: Double) -> Bool {
        value.left(isGood, at: now, chance: chance)
    }
}

/// A queue that the expectations' macros can change.
private final class Queue {
    private var value: WriteQueue

    init(count: Int, bytes: Int) { value = WriteQueue(count: count, bytes: bytes) }

    var count: Int { value.count }
    var bytes: Int { value.bytes }
    var isIdle: Bool { value.isIdle }
    func push(_ change: StoreChange) -> Bool { value.push(change) }
    func pop() -> StoreChange? { value.pop() }
    func finish(_ change: StoreChange) { value.finish(change) }
    func putBack(_ change: StoreChange) { value.putBack(change) }
    func drop(where isMeant: (StoreChange) -> Bool) { value.drop(where: isMeant) }
    func dropAll() -> Int { value.dropAll() }
}

@Suite struct StoreBreakerTests {
    private static let rest = StoreBreaker.rests.lowerBound

    private static func opened(at now: Int64 = 0, chance: Double = 0) -> Breaker {
        let breaker = Breaker()
        for _ in 0..<StoreBreaker.threshold { _ = breaker.left(false, at: now, chance: chance) }
        return breaker
    }

    @Test func `failures open it, and each success takes one of them back`() {
        let breaker = Breaker()
        for _ in 1..<StoreBreaker.threshold { #expect(!breaker.left(false, at: 0, chance: 0)) }
        for _ in 0..<100 {
            #expect(breaker.enter(at: 0) && !breaker.left(true, at: 0, chance: 0))
            #expect(breaker.enter(at: 0) && !breaker.left(false, at: 0, chance: 0))
        }
        for _ in 1..<StoreBreaker.threshold { #expect(!breaker.left(true, at: 0, chance: 0)) }
        for _ in 1..<StoreBreaker.threshold { #expect(!breaker.left(false, at: 0, chance: 0)) }
        #expect(breaker.left(false, at: 0, chance: 0))
        #expect(!breaker.isClosed && !breaker.enter(at: 0))
    }

    @Test func `one request tries it after the rest, and its success closes it`() {
        let breaker = Self.opened()
        #expect(breaker.wait(at: 0) == Self.rest / 2)
        #expect(!breaker.enter(at: Self.rest / 2 - 1))
        #expect(breaker.enter(at: Self.rest / 2))
        #expect(!breaker.enter(at: Self.rest / 2), "a second one while the first is on its way")
        #expect(breaker.left(true, at: Self.rest, chance: 0))
        #expect(breaker.enter(at: Self.rest))
    }

    @Test func `rests grow to the longest, half of each at random`() {
        let breaker = Self.opened(chance: 0.999_999)
        var now = breaker.wait(at: 0)
        #expect((Self.rest * 9 / 10...Self.rest).contains(now))
        var rest = Self.rest
        for _ in 0..<8 {
            #expect(breaker.enter(at: now))
            #expect(!breaker.left(false, at: now, chance: 0))
            rest = min(2 * rest, StoreBreaker.rests.upperBound)
            #expect(breaker.wait(at: now) == rest / 2)
            now += rest / 2
        }
        #expect(rest == StoreBreaker.rests.upperBound)
    }

    @Test func `a failure right after the trial opens it for longer, and as many answers forget the rest`() {
        let breaker = Self.opened()
        #expect(breaker.enter(at: Self.rest) && breaker.left(true, at: Self.rest, chance: 0))
        #expect(breaker.left(false, at: Self.rest, chance: 0))
        #expect(breaker.wait(at: Self.rest) == Self.rest)
        let later = 2 * Self.rest
        #expect(breaker.enter(at: later) && breaker.left(true, at: later, chance: 0))
        for _ in 1..<StoreBreaker.threshold { #expect(!breaker.left(true, at: later, chance: 0)) }
        for _ in 1..<StoreBreaker.threshold { #expect(!breaker.left(false, at: later, chance: 0)) }
        #expect(breaker.left(false, at: later, chance: 0))
        #expect(breaker.wait(at: later) == Self.rest / 2)
    }

    @Test func `a trial that tells nothing leaves the next one its turn, and so does one that is lost`() {
        let breaker = Self.opened()
        #expect(breaker.enter(at: Self.rest))
        #expect(!breaker.left(nil, at: Self.rest, chance: 0))
        #expect(breaker.enter(at: Self.rest))
        #expect(!breaker.enter(at: Self.rest + StoreBreaker.probeLimit - 1))
        #expect(breaker.enter(at: Self.rest + StoreBreaker.probeLimit))
    }

    @Test func `what comes late from before it opened does not lengthen the rest`() {
        let breaker = Self.opened()
        #expect(!breaker.left(false, at: 10, chance: 0))
        #expect(breaker.wait(at: 0) == Self.rest / 2)
    }
}

/// Breakers that the expectations' macros can change.
private final class Breakers {
    private var value = ReadBreakers()

    var areClosed: Bool { value.areClosed }
    func enter(_ kind: ObjectKind, at now: Int64 = 0) -> Bool { value.enter(kind, at: now) }
    func left(_ kind: ObjectKind, _ isGood: Bool?, at now: Int64 = 0) -> Set<ObjectKind> {
        Set(value.left(kind, isGood, at: now, chance: 0))
    }
}

@Suite struct ReadBreakerTests {
    private static let most = StoreBreaker.threshold - 1

    @Test func `bytes that never come are found out, although each entry is answered`() {
        let breakers = Breakers()
        for _ in 0..<Self.most {
            #expect(breakers.left(.entry, true).isEmpty && breakers.left(.rendition, true).isEmpty)
            #expect(breakers.left(.original, false).isEmpty)
        }
        #expect(breakers.left(.entry, true).isEmpty && breakers.left(.rendition, true).isEmpty)
        #expect(breakers.left(.original, false) == [.original])
        #expect(!breakers.enter(.original) && breakers.enter(.entry) && breakers.enter(.rendition))
        #expect(!breakers.areClosed)
        // Answers of the others are no trial.
        #expect(breakers.left(.entry, true).isEmpty && !breakers.enter(.original))
        let later = StoreBreaker.rests.lowerBound
        #expect(breakers.enter(.original, at: later))
        #expect(breakers.left(.original, true, at: later) == [.original])
        #expect(breakers.areClosed)
    }

    @Test func `a store that is ill as a whole is found out by as many requests as one breaker needs`() {
        let breakers = Breakers()
        for number in 0..<Self.most {
            #expect(breakers.left(number.isMultiple(of: 2) ? .entry : .rendition, false).isEmpty)
        }
        #expect(breakers.left(.rendition, false) == Set(ObjectKind.allCases))
        for kind in ObjectKind.allCases { #expect(!breakers.enter(kind)) }
        let later = StoreBreaker.rests.lowerBound
        #expect(breakers.enter(.rendition, at: later))
        #expect(breakers.left(.rendition, true, at: later) == Set(ObjectKind.allCases))
        for kind in ObjectKind.allCases { #expect(breakers.enter(kind, at: later)) }
    }

    @Test func `failures of one kind alone leave those open that were answered meanwhile`() {
        let breakers = Breakers()
        for _ in 0..<Self.most { #expect(breakers.left(.entry, false).isEmpty) }
        #expect(breakers.left(.rendition, true).isEmpty)
        #expect(breakers.left(.entry, false) == [.entry, .original])
        #expect(breakers.enter(.rendition))
    }

    @Test func `a store that tells what it has not, and hangs at half of its answers, is found out`() {
        let breakers = Breakers()
        var opened: Set<ObjectKind> = []
        for _ in 0..<2 * StoreBreaker.threshold where opened.isEmpty {
            _ = breakers.left(.entry, true)
            opened = breakers.left(.entry, false).union(breakers.left(.entry, false))
        }
        #expect(opened.contains(.entry))
    }
}

@Suite struct WriteQueueTests {
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
        #expect(try #require(queue.pop()).digest == Picture(1).source)
        #expect(queue.pop() == nil)
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

@Suite struct PurgeMarkTests {
    private static func time(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds) }
    private static func key(_ number: Int) -> OriginalKey { OriginalKey(url: "http://host/\(number)") }
    private static let after = 1_000 + PurgeMarks.margin / 1_000 + 1

    private static func verdict(
        _ selection: PurgeSelection, isSoft: Bool = false, on key: OriginalKey, tags: [String] = [],
        from seconds: Int64
    ) -> PurgeMarks.Verdict {
        var marks = PurgeMarks(limit: 10)
        marks.add(.init(subject: .originals(selection), time: time(1_000), isSoft: isSoft))
        return marks.verdict(on: key, tags: tags, from: time(seconds))
    }

    @Test func `of long names the oldest fall off before there are many`() {
        var marks = PurgeMarks(limit: 100, mostBytes: 1_000)
        for number in 10..<30 {
            let tag = "\(number)" + String(repeating: "x", count: 98)
            marks.add(.init(subject: .originals(.tag(tag)), time: Self.time(Int64(100 * number))))
        }
        #expect(marks.marks.count == 10 && marks.bytes == 1_000)
        #expect(marks.verdict(on: Self.key(1), tags: [], from: Self.time(1_900)) == .isPurged)
        #expect(marks.verdict(on: Self.key(1), tags: [], from: Self.time(1_906)) == .holds)
    }

    @Test(arguments: [
        PurgeSelection.url(OriginalKey(url: "http://host/1")), .prefix("http://host/"), .host("host"),
        .tag("t"),
        .all,
    ])
    func `what was fetched before a purge does not come back, and what comes later does`(
        selection: PurgeSelection
    ) {
        let (key, other) = (Self.key(1), OriginalKey(url: "http://other/2"))
        #expect(Self.verdict(selection, on: key, tags: ["t"], from: 999) == .isPurged)
        #expect(Self.verdict(selection, on: key, tags: ["t"], from: 1_001) == .isPurged, "clocks differ")
        #expect(Self.verdict(selection, on: key, tags: ["t"], from: Self.after) == .holds)
        #expect(Self.verdict(selection, isSoft: true, on: key, tags: ["t"], from: 999) == .isStale)
        #expect(Self.verdict(selection, isSoft: true, on: key, tags: ["t"], from: Self.after) == .holds)
        if selection != .all { #expect(Self.verdict(selection, on: other, from: 999) == .holds) }
    }

    @Test func `a mark of a URL holds for all of its variants`() {
        let variant = OriginalKey(url: Self.key(1).url, variant: "aa")
        for named in [Self.key(1), variant] {
            #expect(Self.verdict(.url(named), on: variant, from: 999) == .isPurged)
            #expect(Self.verdict(.url(named), on: Self.key(1), from: 999) == .isPurged)
            #expect(Self.verdict(.url(named), isSoft: true, on: variant, from: 999) == .isStale)
        }
        #expect(Self.verdict(.url(Self.key(2)), on: variant, from: 999) == .holds)
        #expect(Self.verdict(.prefix("http://host/"), on: variant, from: 999) == .isPurged)
        #expect(ObjectName.entry(variant) != ObjectName.entry(Self.key(1)))
    }

    @Test func `a hard purge stays one after a soft one`() {
        var marks = PurgeMarks(limit: 10)
        marks.add(.init(subject: .originals(.url(Self.key(1))), time: Self.time(1_000)))
        marks.add(.init(subject: .originals(.url(Self.key(1))), time: Self.time(2_000), isSoft: true))
        #expect(marks.verdict(on: Self.key(1), tags: [], from: Self.time(900)) == .isPurged)
        #expect(marks.verdict(on: Self.key(1), tags: [], from: Self.time(1_500)) == .isStale)
        #expect(marks.verdict(on: Self.key(1), tags: [], from: Self.time(2_500)) == .holds)
    }

    @Test func `renditions go with their bytes`() {
        var marks = PurgeMarks(limit: 10)
        marks.add(.init(subject: .renditions(Picture(1).source), time: Self.time(1_000)))
        #expect(marks.hasPurged(renditionsOf: Picture(1).source, from: Self.time(1_000)))
        #expect(!marks.hasPurged(renditionsOf: Picture(1).source, from: Self.time(Self.after)))
        #expect(!marks.hasPurged(renditionsOf: Picture(2).source, from: Self.time(1)))
    }

    @Test func `marks that fall off take everything before them along`() {
        var marks = PurgeMarks(limit: 10)
        for number in 0..<11 {
            marks.add(
                .init(
                    subject: .originals(.url(Self.key(number))), time: Self.time(1_000 + Int64(number) * 100))
            )
        }
        #expect(marks.marks.count == 10)
        #expect(marks.verdict(on: Self.key(0), tags: [], from: Self.time(999)) == .isPurged)
        #expect(marks.verdict(on: Self.key(99), tags: [], from: Self.time(999)) == .isPurged)
        #expect(marks.verdict(on: Self.key(99), tags: [], from: Self.time(Self.after)) == .holds)
        #expect(marks.verdict(on: Self.key(5), tags: [], from: Self.time(1_500)) == .isPurged)
    }

    @Test func `a line says what a mark is, and half a line says nothing`() {
        let subjects: [PurgeMarks.Mark.Subject] = [
            .originals(.url(OriginalKey(url: "http://host/a b\n\"é"))), .originals(.prefix("http://")),
            .originals(.host("host")), .originals(.tag("a tag")), .originals(.all),
            .renditions(Picture(1).source),
        ]
        for subject in subjects {
            for isSoft in [true, false] {
                let mark = PurgeMarks.Mark(subject: subject, time: Self.time(1_000), isSoft: isSoft)
                #expect(PurgeMarks.Mark(line: mark.line[...]) == mark)
                #expect(!mark.line.contains("\n"))
            }
        }
        for line in [
            "", "1000", "1000 hard url", "1000 hard url !", "x hard url aa", "1000 hard bytes aa",
            "1000 firm all ",
        ] {
            #expect(PurgeMarks.Mark(line: line[...]) == nil, "\(line)")
        }
    }
}
