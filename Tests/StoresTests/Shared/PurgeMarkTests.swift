// SPDX-License-Identifier: Apache-2.0

import Bytes
import HTTPSemantics
import Pipeline
import Recipes
import SourceURLs
@testable import Stores
import Testing

@Suite("What was fetched before a purge does not come back from the shared store")
struct PurgeMarkTests {
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

    @Test func `marks that are added late fall off before those of later purges`() {
        var marks = PurgeMarks(limit: 10)
        for seconds in Array(20..<30) + Array(0..<10) {
            let time = Self.time(1_000 + 100 * Int64(seconds))
            marks.add(.init(subject: .originals(.url(Self.key(seconds))), time: time))
        }
        #expect(marks.marks.count == 10)
        #expect(marks.verdict(on: Self.key(99), tags: [], from: Self.time(1_900)) == .isPurged)
        #expect(marks.verdict(on: Self.key(99), tags: [], from: Self.time(2_900)) == .holds)
        #expect(marks.verdict(on: Self.key(20), tags: [], from: Self.time(2_900)) == .isPurged)
    }

    @Test func `a line says what a mark is, and half a line says nothing`() {
        let subjects: [PurgeMarks.Mark.Subject] = [
            .originals(.url(OriginalKey(url: "http://host/a b\n\"é"))), .originals(.prefix("http://")),
            .originals(.host("host")), .originals(.tag("a tag")), .originals(.all),
            .renditions(Picture(1).source),
        ]
        for subject in subjects {
            for (isSoft, isDoubt) in [(true, false), (false, false), (false, true)] {
                let mark = PurgeMarks.Mark(
                    subject: subject, time: Self.time(1_000), isSoft: isSoft, isDoubt: isDoubt)
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
