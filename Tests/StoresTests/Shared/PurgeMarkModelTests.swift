// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import Pipeline
import RandomInputs
import SourceURLs
@testable import Stores
import Testing

@Suite("Marks of purges are found without a search", .timeLimit(.minutes(1)))
struct PurgeMarkModelTests {
    /// The verdict by a search through all marks.
    private static func searched(
        _ marks: PurgeMarks, on key: OriginalKey, tags: [String], from time: Timestamp
    ) -> PurgeMarks.Verdict {
        func covers(_ mark: Timestamp) -> Bool {
            mark.milliseconds != .min && time.milliseconds <= mark.milliseconds + PurgeMarks.margin
        }
        if covers(marks.floor) { return .isPurged }
        let meant = marks.marks.filter { mark in
            guard covers(mark.time), case .originals(let selection) = mark.subject else { return false }
            return selection.matches(key, tags: tags)
        }
        if meant.contains(where: { !$0.isSoft }) { return .isPurged }
        return meant.isEmpty ? .holds : .isStale
    }

    private static let urls = [
        "http://a/", "http://a/b", "https://a:81/b", "http://a.b/", "http://[::1]/", "https://[::1]:81/x",
        "http://[::11]/", "http://a/é", "http://a/e\u{301}", "http://[a/]/x", "http://[a/", "http://", "a",
        "http:///", "http://[::1]x/", "ftp://a/", "s3://a/b", "azure://a.b/x", "file://b/a",
        "s3://", "s3://a",
    ]
    private static let hosts = ["a", "a.b", "[::1]", "a/b", "a:81", "", "[a", "[a/]", "[::1]x", "b", "é"]
    private static let prefixes = [
        "http://a", "http://a/e", "http://a/é", "https://", "", "x", "http://[::1]",
    ]
    private static let tags = ["t", "u", "é", "e\u{301}", "", "T"]

    private static func selection(_ random: inout SeededRandom) -> PurgeSelection {
        switch Int.random(in: 0..<40, using: &random) {
        case 0: .all
        case 1..<10: .url(OriginalKey(url: urls.randomElement(using: &random) ?? ""))
        case 10..<20: .prefix(prefixes.randomElement(using: &random) ?? "")
        case 20..<30: .host(hosts.randomElement(using: &random) ?? "")
        default: .tag(tags.randomElement(using: &random) ?? "")
        }
    }

    @Test func `the verdict is that of a search through all marks`() {
        var random = SeededRandom(for: "the verdict is that of a search through all marks")
        for _ in 0..<300 {
            var marks = PurgeMarks(limit: Int.random(in: 1...20, using: &random))
            for _ in 0..<Int.random(in: 0...24, using: &random) {
                let time = random.chance(5) ? Int64.min : Int64.random(in: 0...60_000, using: &random)
                marks.add(
                    .init(
                        subject: .originals(Self.selection(&random)),
                        time: Timestamp(milliseconds: time), isSoft: random.chance(60)))
            }
            for url in Self.urls {
                let key = OriginalKey(url: url)
                let tags = Self.tags.filter { _ in random.chance(20) }
                let time = Timestamp(milliseconds: Int64.random(in: 0...70_000, using: &random))
                #expect(
                    marks.verdict(on: key, tags: tags, from: time)
                        == Self.searched(marks, on: key, tags: tags, from: time),
                    "\(marks.marks) \(url) \(tags) \(time)")
            }
        }
    }

    @Test func `10,000 marks of tags and hosts, and originals of 256 tags, hold up no reads`() {
        var marks = PurgeMarks(limit: 10_000)
        let time = Timestamp(seconds: 1_000)
        for number in 0..<5_000 {
            // The same tag again, and other tags.
            let tag = number.isMultiple(of: 2) ? "again" : "tag-\(number)"
            marks.add(.init(subject: .originals(.tag(tag)), time: time))
            marks.add(.init(subject: .originals(.host("host-\(number)")), time: time))
        }
        let tags = (0..<256).map { "other-\($0)" }
        var held = 0
        for number in 0..<10_000 {
            let key = OriginalKey(url: "http://elsewhere/\(number)")
            if marks.verdict(on: key, tags: tags, from: time) == .holds { held += 1 }
        }
        #expect(held == 10_000)
        let key = OriginalKey(url: "http://elsewhere/")
        #expect(marks.verdict(on: key, tags: tags + ["again"], from: time) == .isPurged)
        let named = OriginalKey(url: "http://host-4999/")
        #expect(marks.verdict(on: named, tags: tags, from: time) == .isPurged)
    }
}
