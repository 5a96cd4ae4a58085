// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import Testing

typealias ConditionRow = (fields: [(String, String)], expected: Preconditions.Result)

struct PreconditionsTests {
    private static let date = "Sat, 29 Oct 1994 19:43:31 GMT"

    private func result(
        _ fields: [(String, String)], tag: String? = #""a""#
    ) -> Preconditions.Result {
        Preconditions(Fields(fields.map { Fields.Field($0, $1) })).evaluate(
            tag: tag.flatMap { EntityTag($0) })
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
            ([("If-Match", #""a""#)], .proceed),
            ([("If-Match", "*")], .proceed),
            ([("If-Match", #""b""#)], .failed),
            ([("If-Match", #"W/"a""#)], .failed),
            ([("If-Match", #""b", "a""#)], .proceed),
            // A condition that fails comes before one that saves the body.
            ([("If-Match", #""b""#), ("If-None-Match", #""a""#)], .failed),
            ([("If-Match", #""a""#), ("If-None-Match", #""a""#)], .notModified),
        ] as [ConditionRow])
    func `tags as the RFC has them`(row: ConditionRow) {
        #expect(result(row.fields) == row.expected)
    }

    /// RFC 9110 §13.1.3, §13.1.4.
    @Test(
        arguments: [
            ([("If-Modified-Since", date)], Preconditions.Result.proceed),
            ([("If-Modified-Since", "Sat, 29 Oct 2094 19:43:31 GMT")], .proceed),
            ([("If-Unmodified-Since", date)], .proceed),
            ([("If-None-Match", #""b""#), ("If-Modified-Since", date)], .proceed),
            ([("If-None-Match", #""a""#), ("If-Modified-Since", date)], .notModified),
            ([("If-Match", #""b""#), ("If-Unmodified-Since", date)], .failed),
        ] as [ConditionRow])
    func `dates are ignored, because no date is told`(row: ConditionRow) {
        #expect(result(row.fields) == row.expected)
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
