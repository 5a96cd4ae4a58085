// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import RandomInputs
import Testing

struct StoredFieldsTests {
    private let full = fields([
        "Server: x", "Date: \(date(-5))", "Age: 3", "Cache-Control: max-age=60", "Cache-Control: public",
        "CDN-Cache-Control: max-age=90",
        "Expires: \(date(60))", "Last-Modified: \(date(-1000))", "ETag: W/\"a:b, c\"", "Vary: Accept",
        "Vary: Origin",
        "Content-Type: image/png", "Content-Location: /x", "Cache-Tag: a, b", "Surrogate-Key: c d",
        "Pragma: no-cache", "Set-Cookie: a=b",
    ])

    @Test func `the fields that caching needs are kept and no others`() {
        let stored = StoredFields(full)
        #expect(stored[.cacheControl] == "max-age=60, public")
        #expect(stored[.targetedCacheControl] == "max-age=90")
        #expect(stored[.vary] == "Accept, Origin")
        #expect(stored[.entityTag] == "W/\"a:b, c\"")
        #expect(
            stored.fields["set-cookie"] == nil && stored.fields["date"] == nil && stored.fields["age"] == nil)
        #expect(stored.fields.list.count == 11)
        #expect(stored.validators == Validators(entityTag: "W/\"a:b, c\"", lastModified: date(-1000)))
        #expect(stored.tags == ["a", "b", "c", "d"])
    }

    @Test func `the names that stand in the cache's index stay as they are`() {
        #expect(
            StoredFields.Name.allCases.map(\.rawValue) == [
                "cache-control", "cdn-cache-control", "pragma", "expires", "last-modified", "etag", "vary",
                "content-type", "content-location", "cache-tag", "surrogate-key", "request-variant",
                "redirect-target",
            ])
    }

    @Test func `what comes twice and may not counts once`() {
        let stored = StoredFields(
            fields(["ETag: \"a\"", "ETag: \"b\"", "Expires: 0", "Expires: \(date(9))"]))
        #expect(stored[.entityTag] == "\"a\"" && stored[.expires] == "0")
    }

    @Test func `fields that the origin withholds are not kept`() {
        let stored = StoredFields(
            fields([
                "Cache-Control: private=\"ETag\", no-cache=\"cache-tag\"", "ETag: \"a\"", "Cache-Tag: x",
                "Vary: y",
            ]))
        #expect(stored[.entityTag] == nil && stored[.cacheTag] == nil && stored[.vary] == "y")
        #expect(stored.validators.isEmpty)
    }

    @Test func `values with control characters are not kept`() {
        for bad in ["a\nb", "a\rb", "a\u{0}b", "\u{7F}", "a\u{1B}[0m"] {
            var fields = Fields()
            fields.append("ETag", bad)
            #expect(StoredFields(fields)[.entityTag] == nil)
        }
        #expect(StoredFields(fields(["Vary: a\tb"]))[.vary] == "a\tb")
    }

    @Test func `a last change that is ahead counts as now, by a clock that has been set`() {
        func lastModified(_ text: String, at moment: Timestamp) -> Timestamp? {
            StoredFields(fields(["Last-Modified: \(text)"])).lastModified(at: moment)
        }
        #expect(lastModified(date(-9), at: now) == now.adding(seconds: -9))
        #expect(lastModified(date(0), at: now) == now)
        #expect(lastModified(date(9), at: now) == now)
        #expect(lastModified("yesterday", at: now) == nil)
        #expect(lastModified(date(9), at: Timestamp(seconds: 9)) == now.adding(seconds: 9))
        // Where it gets a date at all, the origin gets its own back, unclamped.
        #expect(StoredFields(fields(["Last-Modified: \(date(9))"])).validators.lastModified == date(9))
    }

    @Test func `a last change is ahead beyond a minute, by a clock that has been set`() {
        func isAhead(_ text: String, of arrival: Timestamp) -> Bool {
            StoredFields(fields(["Last-Modified: \(text)"])).isModified(after: arrival)
        }
        #expect(!isAhead(date(60), of: now) && isAhead(date(61), of: now))
        #expect(!isAhead(date(61), of: Timestamp(seconds: 9)) && !isAhead("yesterday", of: now))
        #expect(!StoredFields(Fields()).isModified(after: now))
    }

    @Test(arguments: [
        ("\"a\"", true), ("W/\"a, b\"", true), ("a", true), ("w/\"a\"", true), ("\"a\"b\"", true),
        ("*", false), ("\"a\", \"b\"", false), ("*, \"a\"", false), ("a,b", false),
        ("\",", false), ("\"a,b\"", true), (",", false),
    ])
    func `only a tag that names one representation becomes a condition`(tag: String, isSent: Bool) {
        let stored = StoredFields(fields(["ETag: \(tag)"]))
        #expect(stored.validators.entityTag == (isSent ? tag : nil))
    }

    @Test func `the text is what people would write, and reads back the same`() throws {
        let stored = StoredFields(full)
        #expect(
            stored.serialized.hasPrefix(
                "cache-control: max-age=60, public\ncdn-cache-control: max-age=90\npragma: no-cache\nexpires: "
            ))
        #expect(try #require(StoredFields(serialized: stored.serialized)) == stored)
        #expect(StoredFields(Fields()).serialized.isEmpty)
        #expect(StoredFields(serialized: "") == StoredFields(Fields()))
    }

    @Test(arguments: [
        "x", "etag", "etag:", "etag:\"a\"", "unknown: x", "ETag: \"a\"", ": x", "\n", "etag: a\n",
        "\netag: a", "etag: a\n\nvary: b",
        "etag: a\netag: b",
    ])
    func `a damaged text is told from a good one`(text: String) {
        #expect(StoredFields(serialized: text) == nil)
    }

    @Test func `random fields survive the trip through the text`() {
        var random = SeededRandom(for: "StoredFields")
        let pieces = ["max-age=60", ": ", ":", ",", " ", "\"a\"", "W/", "é", "\t", "*", "etag", "\\", "\n"]
        for _ in 0..<5_000 {
            var fields = Fields()
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                let name = StoredFields.Name.allCases[
                    Int.random(in: 0..<StoredFields.Name.allCases.count, using: &random)]
                fields.append(name.rawValue, random.text(of: pieces, limit: 6))
            }
            let stored = StoredFields(fields)
            #expect(StoredFields(serialized: stored.serialized) == stored, "seed \(random.seed): \(stored)")
        }
    }
}

struct RefreshTests {
    private let policy = CachePolicy.plain

    private func refresh(_ stored: [String], _ notModified: [String], after seconds: Int64 = 1000)
        -> CachePolicy.Refresh
    {
        let later = now.adding(seconds: seconds)
        return policy.refresh(
            StoredFields(fields(stored)), with: fields(notModified), by: Transit(at: later))
    }

    /// Seconds of freshness after the 304, which arrives 1,000 s after the original.
    @Test(
        arguments: [
            // Fields that the 304 leaves out keep their values.
            (["Cache-Control: max-age=60", "ETag: \"a\""], [], 60),
            (["Cache-Control: max-age=60", "ETag: \"a\""], ["ETag: \"a\""], 60),
            (["Cache-Control: max-age=60", "ETag: \"a\""], ["Date: \(date(1000))", "ETag: \"a\""], 60),
            (["CDN-Cache-Control: max-age=90", "Cache-Control: max-age=60"], [], 90),
            // Fields that the 304 has are replaced.
            (["Cache-Control: max-age=60", "ETag: \"a\""], ["Cache-Control: max-age=7"], 7),
            (["Cache-Control: max-age=60, public"], ["Cache-Control: public"], nil),
            (["Cache-Control: no-cache", "ETag: \"a\""], ["Cache-Control: max-age=5"], 5),
            (["Cache-Control: max-age=5"], ["Cache-Control: no-cache"], nil),
            (["Cache-Control: max-age=60"], ["CDN-Cache-Control: max-age=9"], 9),
            // The age is that of the 304.
            (["Cache-Control: max-age=60", "Age: 50"], [], 60),
            (["Cache-Control: max-age=60"], ["Age: 50"], 10),
            (["Cache-Control: max-age=60", "Date: \(date(0))"], [], 60),
            (["Cache-Control: max-age=60"], ["Date: \(date(980))"], 40),
            // `Expires` is a fixed time, which passes.
            (["Expires: \(date(60))", "Date: \(date(0))"], [], nil),
            (["Expires: \(date(1060))"], [], 60),
            (["Expires: \(date(60))"], ["Expires: \(date(1030))"], 30),
            // The heuristic still uses the stored `Last-Modified`.
            (["Last-Modified: \(date(-1000))"], ["Date: \(date(1000))"], 200),
        ] as [([String], [String], Int?)])
    func `a 304 makes the original fresh again`(stored: [String], notModified: [String], seconds: Int?) {
        guard case .refreshed(_, let freshness) = refresh(stored, notModified) else {
            Issue.record("not refreshed")
            return
        }
        if case .fresh(let left) = freshness.state(at: now.adding(seconds: 1000)) {
            #expect(left == seconds)
        } else {
            #expect(seconds == nil)
        }
        #expect(freshness.responseTime == now.adding(seconds: 1000))
    }

    /// RFC 9111 §4.3.4.
    @Test(
        arguments: [
            (["ETag: \"a\""], ["ETag: \"a\""], true), (["ETag: \"a\""], ["ETag: \"b\""], false),
            (["ETag: \"a\""], [], true),
            (["ETag: \"a\""], ["ETag: W/\"a\""], true), (["ETag: W/\"a\""], ["ETag: W/\"a\""], true),
            (["ETag: W/\"a\""], ["ETag: W/\"b\""], false),
            (["ETag: W/\"a\""], ["ETag: \"a\""], false),
            (["Last-Modified: \(date(-9))"], ["ETag: \"a\""], false),
            (["ETag: abc"], ["ETag: abc"], true), (["ETag: abc"], ["ETag: abd"], false),
            (["ETag: \"a\""], ["ETag: a"], false),
            (["Last-Modified: \(date(-9))"], ["Last-Modified: \(date(-9))"], true),
            (["Last-Modified: \(date(-9))"], ["Last-Modified: \(date(-8))"], false),
            (["Last-Modified: \(date(-9))"], [], true),
            // The same second in two of RFC 9110's spellings.
            (
                ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"], ["Last-Modified: Sun Nov  6 08:49:37 1994"],
                true
            ),
            (["Last-Modified: x"], ["Last-Modified: y"], false),
            (
                ["ETag: \"a\"", "Last-Modified: \(date(-9))"], ["ETag: \"a\"", "Last-Modified: \(date(-8))"],
                true
            ),
            ([], [], true), ([], ["ETag: \"a\""], false),
        ] as [([String], [String], Bool)])
    func `a 304 about other bytes refreshes nothing`(stored: [String], notModified: [String], isOurs: Bool) {
        #expect((refresh(stored, notModified) != .mismatch) == isOurs)
    }

    @Test func `a 304 that forbids storing is obeyed`() {
        #expect(refresh(["Cache-Control: max-age=60"], ["Cache-Control: no-store"]) == .forget(.noStore))
        #expect(refresh(["Cache-Control: max-age=60"], ["Cache-Control: private"]) == .forget(.isPrivate))
    }

    @Test func `the stored fields are those of the 304 where it has them`() {
        let stored = ["Cache-Control: max-age=60", "ETag: \"a\"", "Vary: x", "Content-Type: image/png"]
        let news = [
            "Cache-Control: max-age=7", "ETag: W/\"a\"", "Last-Modified: \(date(-5))",
            "Content-Type: text/html",
        ]
        guard case .refreshed(let updated, _) = refresh(stored, news) else {
            Issue.record("not refreshed")
            return
        }
        #expect(
            updated[.cacheControl] == "max-age=7" && updated[.entityTag] == "W/\"a\"" && updated[.vary] == "x"
        )
        #expect(updated[.lastModified] == date(-5) && updated[.contentType] == "image/png")
    }

    @Test func `one 304 after another keeps the original fresh`() {
        var stored = StoredFields(fields(["Cache-Control: max-age=60", "ETag: \"a\"", "Date: \(date(0))"]))
        for round in 1...5 {
            let later = now.adding(seconds: Int64(round) * 100)
            let notModified = fields(["Date: \(HTTPDate.format(later))", "ETag: \"a\""])
            guard
                case .refreshed(let updated, let freshness) = policy.refresh(
                    stored, with: notModified, by: Transit(at: later))
            else {
                Issue.record("round \(round)")
                return
            }
            #expect(freshness.state(at: later) == .fresh(secondsLeft: 60))
            stored = updated
        }
    }
}
