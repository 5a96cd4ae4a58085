// SPDX-License-Identifier: Apache-2.0

/// Conditional requests (RFC 9110 §13): the conditions of a GET or HEAD on a representation that exists.
///
/// Nothing here has a date that could be told as `Last-Modified`, and so `If-Modified-Since` and `If-Unmodified-Since` are to
/// be ignored (RFC 9110 §13.1.3, §13.1.4): a picture also depends on settings and on this program, of whose changes the date
/// of its original says nothing.
package struct Preconditions: Sendable, Equatable {
    /// The answer to the conditions.
    package enum Result: Sendable, Equatable {
        case proceed
        /// 304.
        case notModified
        /// 412.
        case failed
    }

    /// The field's value, several lines joined by commas; nil without it.
    package var ifMatch: String?
    /// The field's value, several lines joined by commas; nil without it.
    package var ifNoneMatch: String?

    /// Takes the conditions from a request's fields.
    package init(_ fields: Fields) {
        ifMatch = fields.combined("If-Match")
        ifNoneMatch = fields.combined("If-None-Match")
    }

    /// Evaluates the conditions in the order of RFC 9110 §13.2.2, steps 1 and 3; `ByteRange.select` does step 5, `If-Range`.
    package func evaluate(tag: EntityTag?) -> Result {
        if let ifMatch, !Self.matches(ifMatch, tag: tag, by: .strong) { return .failed }
        if let ifNoneMatch, Self.matches(ifNoneMatch, tag: tag, by: .weak) { return .notModified }
        return .proceed
    }

    private static func matches(_ list: String, tag: EntityTag?, by comparison: EntityTag.Comparison) -> Bool
    {
        (tag?.description ?? "").withFieldBytes { tag in
            list.withFieldBytes { EntityTag.matches($0, tag: tag, by: comparison) }
        }
    }
}
