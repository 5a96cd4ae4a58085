// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import Testing

private let modified = "Sat, 29 Oct 1994 19:43:31 GMT"
private let earlier = "Sat, 29 Oct 1994 19:43:30 GMT"
private let later = "Sat, 29 Oct 1994 19:43:32 GMT"

typealias ConditionRow = (fields: [(String, String)], expected: Preconditions.Result)

struct PreconditionsTests {
    private func result(
        _ fields: [(String, String)], tag: String? = #""a""#, lastModified: String? = modified
    ) -> Preconditions.Result {
        Preconditions(Fields(fields.map { Fields.Field($0, $1) })).evaluate(
            tag: tag.flatMap { EntityTag($0) },
            lastModified: lastModified.flatMap { HTTPDate.parse($0, now: now) },
            now: now)
    }

    @Test(
        arguments: [
            ([], Preconditions.Result.proceed),
            ([("If-None-Match", #""a""#)], .notModified),
            ([("If-None-Match", #"W/"a""#)], .notModified),
            ([("If-None-Match", "*")], .notModified),
            ([("If-None-Match", #""b", "a""#)], .notModified),
            ([("if-none-match", #""b""#)], .proceed),
            ([("If-None-Match", #""b""#), ("If-None-Match", #""a""#)], .notModified),
            ([("If-None-Match", "")], .proceed),
            ([("If-Modified-Since", modified)], .notModified),
            ([("If-Modified-Since", later)], .notModified),
            ([("If-Modified-Since", earlier)], .proceed),
            ([("If-Modified-Since", "Saturday, 29-Oct-94 19:43:31 GMT")], .notModified),
            ([("If-Modified-Since", "Sat Oct 29 19:43:31 1994")], .notModified),
            ([("If-Modified-Since", "yesterday")], .proceed),
            ([("If-Modified-Since", later), ("If-Modified-Since", later)], .proceed),
            ([("If-Match", #""a""#)], .proceed),
            ([("If-Match", "*")], .proceed),
            ([("If-Match", #""b""#)], .failed),
            ([("If-Match", #"W/"a""#)], .failed),
            ([("If-Match", #""b", "a""#)], .proceed),
            ([("If-Unmodified-Since", modified)], .proceed),
            ([("If-Unmodified-Since", later)], .proceed),
            ([("If-Unmodified-Since", earlier)], .failed),
            ([("If-Unmodified-Since", "garbage")], .proceed),
        ] as [ConditionRow])
    func `one condition alone`(row: ConditionRow) {
        #expect(result(row.fields) == row.expected)
    }

    /// RFC 9110 §13.2.2.
    @Test(
        arguments: [
            // If-None-Match decides, and If-Modified-Since is ignored.
            ([("If-None-Match", #""b""#), ("If-Modified-Since", later)], Preconditions.Result.proceed),
            ([("If-None-Match", #""a""#), ("If-Modified-Since", earlier)], .notModified),
            // If-Match decides, and If-Unmodified-Since is ignored.
            ([("If-Match", #""a""#), ("If-Unmodified-Since", earlier)], .proceed),
            ([("If-Match", #""b""#), ("If-Unmodified-Since", later)], .failed),
            // A failed condition takes precedence over one that saves the body.
            ([("If-Match", #""b""#), ("If-None-Match", #""a""#)], .failed),
            ([("If-Match", #""a""#), ("If-None-Match", #""a""#)], .notModified),
            ([("If-Unmodified-Since", earlier), ("If-None-Match", #""a""#)], .failed),
            ([("If-Unmodified-Since", later), ("If-Modified-Since", later)], .notModified),
            ([("If-Unmodified-Since", later), ("If-None-Match", #""b""#)], .proceed),
        ] as [ConditionRow])
    func `several conditions in their order`(row: ConditionRow) {
        #expect(result(row.fields) == row.expected)
    }

    @Test func `dates are ignored where no date is held`() {
        #expect(result([("If-Modified-Since", later)], lastModified: nil) == .proceed)
        #expect(result([("If-Unmodified-Since", earlier)], lastModified: nil) == .proceed)
    }

    @Test func `without a tag only the asterisk matches`() {
        #expect(result([("If-None-Match", #""a""#)], tag: nil) == .proceed)
        #expect(result([("If-None-Match", "*")], tag: nil) == .notModified)
        #expect(result([("If-Match", #""a""#)], tag: nil) == .failed)
        #expect(result([("If-Match", "*")], tag: nil) == .proceed)
    }

    @Test func `a weak tag answers If-None-Match but never If-Match`() {
        #expect(result([("If-None-Match", #""a""#)], tag: #"W/"a""#) == .notModified)
        #expect(result([("If-Match", #""a""#)], tag: #"W/"a""#) == .failed)
        #expect(result([("If-Match", #"W/"a""#)], tag: #"W/"a""#) == .failed)
    }
}
