// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import Pipeline
import SourceURLs
@testable import Stores
import TestSupport
import Testing

@Suite("Doubts about an origin's answers have marks of their own")
struct DoubtMarkTests {
    private static func time(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds) }
    private static func key(_ host: String, _ number: Int) -> OriginalKey {
        OriginalKey(url: "http://\(host)/\(number)")
    }

    private static func doubt(_ key: OriginalKey, at seconds: Int64) -> PurgeMarks.Mark {
        .init(subject: .originals(.url(key)), time: time(seconds), isDoubt: true)
    }

    private static func verdict(
        _ marks: PurgeMarks, _ key: OriginalKey, from seconds: Int64
    ) -> PurgeMarks.Verdict { marks.verdict(on: key, tags: [], from: time(seconds)) }

    @Test func `what was in doubt does not come back, and what comes later does`() {
        var marks = PurgeMarks(limit: 100)
        let key = Self.key("a", 1)
        marks.add(Self.doubt(key, at: 1_000))
        marks.add(Self.doubt(key, at: 900))
        #expect(Self.verdict(marks, key, from: 1_000) == .isPurged)
        #expect(Self.verdict(marks, OriginalKey(url: key.url, variant: "aa"), from: 1_000) == .isPurged)
        #expect(Self.verdict(marks, key, from: 1_006) == .holds)
        #expect(Self.verdict(marks, Self.key("a", 2), from: 1_000) == .holds)
    }

    @Test func `an origin that fills their room loses its own entries, and no others`() {
        var marks = PurgeMarks(limit: 100)
        marks.add(.init(subject: .originals(.url(Self.key("operator", 1))), time: Self.time(1)))
        marks.add(Self.doubt(Self.key("other", 1), at: 1_000))
        for number in 0..<5_000 { marks.add(Self.doubt(Self.key("hostile", number), at: 2_000)) }
        #expect(marks.marks.count == 1 && marks.all.count == 3)
        #expect(Self.verdict(marks, Self.key("hostile", 9_999), from: 2_000) == .isPurged)
        #expect(Self.verdict(marks, Self.key("hostile", 9_999), from: 2_006) == .holds)
        #expect(Self.verdict(marks, Self.key("other", 1), from: 1_000) == .isPurged)
        #expect(Self.verdict(marks, Self.key("other", 2), from: 0) == .holds)
        #expect(Self.verdict(marks, Self.key("operator", 1), from: 1) == .isPurged)
        for url in ["http://hostile:81/1", "https://hostile/1", "http://hostile.b/1"] {
            #expect(Self.verdict(marks, OriginalKey(url: url), from: 0) == .holds, "\(url)")
        }
    }

    @Test func `of as many origins as there is room, the oldest fall off with everything before them`() {
        var marks = PurgeMarks(limit: 100)
        for number in 0..<11 { marks.add(Self.doubt(Self.key("a\(number)", 1), at: Int64(100 * number))) }
        #expect(marks.all.count == 9 && marks.floor == Self.time(100))
        #expect(Self.verdict(marks, Self.key("elsewhere", 1), from: 100) == .isPurged)
        #expect(Self.verdict(marks, Self.key("elsewhere", 1), from: 106) == .holds)
        #expect(Self.verdict(marks, Self.key("a10", 1), from: 1_000) == .isPurged)
        #expect(Self.verdict(marks, Self.key("a10", 2), from: 1_000) == .holds)
    }

    @Test func `long URLs become one of their origin before there are many`() {
        var marks = PurgeMarks(limit: 100, mostBytes: 1_000)
        let long = String(repeating: "x", count: 60)
        marks.add(Self.doubt(OriginalKey(url: "http://a/\(long)"), at: 1_000))
        #expect(Self.verdict(marks, Self.key("a", 1), from: 1_000) == .holds)
        marks.add(Self.doubt(OriginalKey(url: "http://a/\(long)y"), at: 1_000))
        #expect(marks.all.count == 1 && marks.floor.milliseconds == .min)
        #expect(Self.verdict(marks, Self.key("a", 1), from: 1_000) == .isPurged)
    }

    @Test func `purges of operators do not have them fall off`() {
        var marks = PurgeMarks(limit: 100)
        marks.add(Self.doubt(Self.key("a", 1), at: 5_000))
        for number in 0..<200 {
            marks.add(.init(subject: .originals(.url(Self.key("b", number))), time: Self.time(1_000)))
        }
        #expect(Self.verdict(marks, Self.key("a", 1), from: 5_000) == .isPurged)
        #expect(Self.verdict(marks, Self.key("a", 2), from: 5_000) == .holds)
    }

    @Test func `they are in the file, and a restart takes them for no purges of operators`() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/purges"
        let record = try PurgeRecord(path: path, now: { Self.time(3_000) }, flush: { _ in 0 })
        let operators = PurgeMarks.Mark(
            subject: .originals(.url(Self.key("operator", 1))), time: Self.time(1))
        try record.add([operators])
        // Each mark has a line. There are more than fit into the room for marks, but too few to make the file be rewritten.
        for part in 0..<60 {
            try record.add((0..<256).map { Self.doubt(Self.key("hostile", 256 * part + $0), at: 2_000) })
        }
        let next = try PurgeRecord(path: path, now: { Self.time(3_000) })
        for record in [record, next] {
            func verdict(_ key: OriginalKey, _ seconds: Int64) -> PurgeMarks.Verdict {
                record.verdict(on: key, tags: [], from: Self.time(seconds))
            }
            #expect(verdict(Self.key("hostile", 1), 2_000) == .isPurged)
            #expect(verdict(Self.key("operator", 1), 1) == .isPurged)
            #expect(verdict(Self.key("elsewhere", 1), 1) == .holds)
        }
    }
}
