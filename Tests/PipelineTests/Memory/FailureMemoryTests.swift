// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import SourceURLs
import Testing

@Suite("A failure is known for its time, to the microsecond, and then it may linger")
struct FailureMemoryTests {
    private let memory = FailureMemory(capacity: 100)
    private let key = OriginalKey(url: "http://a/1")
    private let failure = PipelineFailure(.origin(.timedOut))

    private var subject: FailureMemory.Subject { .origin(key) }

    private func fields(_ tag: String, length: Int = 0) -> StoredFields {
        StoredFields(
            Fields([
                Fields.Field("ETag", tag),
                Fields.Field("Content-Type", String(repeating: "x", count: length)),
            ]))
    }

    @Test func `it is known up to its end, and its seconds are rounded up`() {
        #expect(memory.remember(failure, about: subject, of: key, .known(seconds: 2), now: 10) == 2)
        for (now, seconds) in [
            (10, 2), (11, 2), (1_000_009, 2), (1_000_010, 1), (1_000_011, 1), (2_000_009, 1),
        ] as [(Int64, Int)] {
            let found = memory.failure(about: subject, now: now)
            #expect(
                found == PipelineFailure(.origin(.timedOut), rememberedFor: seconds, isFromMemory: true),
                "\(now)")
        }
        #expect(memory.count == 1)
        #expect(memory.failure(about: subject, now: 2_000_010) == nil)
        // An expired failure is removed.
        #expect(memory.count == 0)
    }

    @Test func `nothing is remembered of a failure for no time`() {
        memory.remember(failure, about: subject, of: key, .known(seconds: 5), now: 0)
        #expect(memory.remember(failure, about: subject, of: key, .nothing, now: 0) == 0)
        #expect(memory.count == 0)
        #expect(memory.failure(about: subject, now: 0) == nil)
        let none = FailureMemory(capacity: 0)
        #expect(none.remember(failure, about: subject, of: key, .known(seconds: 5), now: 0) == 0)
        #expect(none.count == 0)
    }

    @Test func `a suspicion becomes knowledge by a second failure in its time, and not behind it`() {
        let suspected = NegativePolicy.Verdict.suspected(seconds: 3)
        for (again, isKnown) in [(0, true), (2_999_999, true), (3_000_000, false), (9_000_000, false)]
            as [(Int64, Bool)]
        {
            let memory = FailureMemory(capacity: 100)
            #expect(memory.remember(failure, about: subject, of: key, suspected, now: 0) == 0)
            #expect(memory.failure(about: subject, now: 0) == nil)
            #expect(memory.failure(about: subject, now: 2_999_999, suspicion: true)?.rememberedFor == 0)
            #expect(
                memory.remember(failure, about: subject, of: key, suspected, now: again) == (isKnown ? 3 : 0))
            #expect((memory.failure(about: subject, now: again) != nil) == isKnown, "\(again)")
        }
    }

    @Test func `known once, it is suspected for as long again`() {
        let suspected = NegativePolicy.Verdict.suspected(seconds: 3)
        memory.remember(failure, about: subject, of: key, suspected, now: 0)
        memory.remember(failure, about: subject, of: key, suspected, now: 0)
        #expect(memory.failure(about: subject, now: 2_999_999) != nil)
        #expect(memory.failure(about: subject, now: 3_000_000) == nil)
        #expect(memory.failure(about: subject, now: 5_999_999, suspicion: true) != nil)
        #expect(memory.failure(about: subject, now: 6_000_000, suspicion: true) == nil)
        // A failure that had an explicit time leaves no suspicion.
        memory.remember(failure, about: subject, of: key, .known(seconds: 3), now: 0)
        #expect(memory.failure(about: subject, now: 3_000_000, suspicion: true) == nil)
    }

    @Test func `what is left of an origin's pause is at least a second`() {
        let paused = PipelineFailure(.originStatus(503, retryAfter: 5))
        memory.remember(paused, about: subject, of: key, .known(seconds: 60), now: 0)
        for (now, left) in [
            (0, 5), (999_999, 5), (1_000_000, 4), (3_999_999, 2), (4_000_000, 1), (5_000_000, 1),
            (59_000_000, 1),
        ] as [(Int64, Int)] {
            let found = memory.failure(about: subject, now: now)
            #expect(found?.reason == .originStatus(503, retryAfter: left), "\(now)")
        }
    }

    @Test func `an eighth is free after each scan, whatever was there`() {
        // First `long` entries that are known for a long time, then entries for a short time.
        for long in [0, 87, 88, 89, 95, 99] {
            let memory = FailureMemory(capacity: 100)
            func remember(_ number: Int, seconds: Int, now: Int64) {
                let key = OriginalKey(url: "http://a/\(number)")
                memory.remember(failure, about: .origin(key), of: key, .known(seconds: seconds), now: now)
            }
            for number in 0..<long { remember(number, seconds: 300, now: Int64(number)) }
            var counts: [Int] = []
            for number in 100..<400 {
                remember(number, seconds: 1, now: 1_000 + Int64(number))
                counts.append(memory.count)
            }
            let scans = zip(counts, counts.dropFirst()).count { $1 < $0 }
            #expect(scans <= 300 / 12 + 1 && counts.allSatisfy { $0 <= 100 }, "\(long): \(scans)")
        }
    }

    // MARK: Content that is no picture

    @Test func `its validators linger for five minutes behind what is known`() {
        memory.remember(
            failure, about: subject, of: key, .known(seconds: 10), fields: fields("\"a\""), now: 0)
        for (now, isThere) in [(0, true), (10_000_000, true), (299_999_999, true), (300_000_000, false)]
            as [(Int64, Bool)]
        {
            #expect((memory.lingering(about: subject, now: now) != nil) == isThere, "\(now)")
        }
    }

    @Test func `the same validators are kept no longer for being confirmed, and others begin anew`() {
        memory.remember(
            failure, about: subject, of: key, .known(seconds: 10), fields: fields("\"a\""), now: 0)
        let later: Int64 = 200_000_000
        memory.remember(
            failure, about: subject, of: key, .known(seconds: 10), fields: fields("\"a\""), now: later)
        #expect(memory.lingering(about: subject, now: 299_999_999) != nil)
        #expect(memory.lingering(about: subject, now: 300_000_000) == nil)
        memory.remember(
            failure, about: subject, of: key, .known(seconds: 10), fields: fields("\"a\""), now: 0)
        memory.remember(
            failure, about: subject, of: key, .known(seconds: 10), fields: fields("\"b\""), now: later)
        #expect(memory.lingering(about: subject, now: later + 299_999_999) != nil)
        #expect(memory.lingering(about: subject, now: later + 300_000_000) == nil)
    }

    @Test func `fields are kept up to a kibibyte, and only with a validator`() {
        // The stored fields also have "etag: "a"", a line feed and "content-type: ".
        let rest = fields("\"a\"", length: 1).serialized.utf8.count - 1
        for (length, isKept) in [(1_024 - rest, true), (1_025 - rest, false)] {
            let fields = fields("\"a\"", length: length)
            memory.remember(failure, about: subject, of: key, .known(seconds: 1), fields: fields, now: 0)
            #expect(memory.failure(about: subject, now: 0) != nil)
            #expect((memory.lingering(about: subject, now: 0) != nil) == isKept, "\(length)")
        }
        let bare = StoredFields(Fields([Fields.Field("Content-Type", "text/html")]))
        memory.remember(failure, about: subject, of: key, .known(seconds: 1), fields: bare, now: 0)
        #expect(memory.lingering(about: subject, now: 0) == nil)
    }

    // MARK: Forgetting

    @Test func `a purge forgets what is of its originals, whatever it is about, and tells how much`() {
        let other = OriginalKey(url: "http://b/1")
        for (number, key) in [key, key, other].enumerated() {
            let subject = FailureMemory.Subject.origin(OriginalKey(url: "subject \(number)"))
            memory.remember(failure, about: subject, of: key, .known(seconds: 5), now: 0)
        }
        #expect(memory.forget { key, _ in key == OriginalKey(url: "http://c/") } == 0)
        #expect(memory.forget { key, _ in key == OriginalKey(url: "http://a/1") } == 2)
        #expect(memory.count == 1)
        memory.forget(.origin(OriginalKey(url: "subject 2")))
        #expect(memory.count == 0)
    }

    @Test(
        arguments: [
            ([], true), ([960], true), ([961], false),
            (Array(repeating: 4, count: 15), true), (Array(repeating: 4, count: 16), false),
            (Array(repeating: 1, count: 256), false),
        ] as [([Int], Bool)])
    func `tags are kept up to a kibibyte, with 64 bytes for each, and are unknown beyond it`(
        lengths: [Int], isKept: Bool
    ) {
        let tags = lengths.map { String(repeating: "x", count: $0) }
        memory.remember(failure, about: subject, of: key, .known(seconds: 5), tags: tags, now: 0)
        let expected = isKept ? FailureTags.kept(tags) : .unknown
        #expect(memory.count { _, known in known == expected } == 1)
    }

    // MARK: Means

    @Test func `the memory of failures is bounded, and keeps the longest lasting`() {
        let memory = FailureMemory(capacity: 80)
        for number in 1...1000 {
            let key = OriginalKey(url: "http://origin.test/\(number)")
            let failure = PipelineFailure(.origin(.timedOut))
            memory.remember(failure, about: .origin(key), of: key, .known(seconds: number), now: 0)
            #expect(memory.count <= 80)
            #expect(memory.failure(about: .origin(key), now: 0) != nil)
        }
        #expect(memory.count > 60)
    }

    @Test func `what has expired makes room first`() {
        let memory = FailureMemory(capacity: 8)
        let failure = PipelineFailure(.origin(.timedOut))
        let long = FailureMemory.Subject.origin(OriginalKey(url: "long"))
        memory.remember(failure, about: long, of: OriginalKey(url: ""), .known(seconds: 2), now: 0)
        for number in 1...7 {
            let key = OriginalKey(url: "\(number)")
            memory.remember(failure, about: .origin(key), of: key, .known(seconds: 1), now: 0)
        }
        let new = OriginalKey(url: "new")
        memory.remember(failure, about: .origin(new), of: new, .known(seconds: 1), now: 1_500_000)
        #expect(memory.count == 2)
        #expect(memory.failure(about: long, now: 1_500_000)?.rememberedFor == 1)
    }

    @Test func `suspicions make room before what is known`() {
        let memory = FailureMemory(capacity: 8)
        let failure = PipelineFailure(.origin(.timedOut))
        let known = FailureMemory.Subject.origin(OriginalKey(url: "known"))
        memory.remember(failure, about: known, of: OriginalKey(url: "known"), .known(seconds: 1), now: 0)
        for number in 1...20 {
            let key = OriginalKey(url: "\(number)")
            memory.remember(failure, about: .origin(key), of: key, .suspected(seconds: 90), now: 0)
        }
        #expect(memory.count <= 8)
        #expect(memory.failure(about: known, now: 0) != nil)
    }

    @Test func `a mean is its first sample, and then goes an eighth of the way to each`() {
        var mean = MovingMean()
        #expect(mean.value == 0)
        for (sample, expected) in [
            (800, 800), (1_600, 900), (100, 800), (0, 700), (700, 700), (707, 700), (708, 701),
        ] as [(Int64, Int64)] {
            mean.add(sample)
            #expect(mean.value == expected, "\(sample)")
        }
    }
}
