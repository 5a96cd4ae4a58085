// SPDX-License-Identifier: Apache-2.0

/// Conditional requests (RFC 9110 §13): the conditions of a GET or HEAD on a representation that exists.
package struct Preconditions: Sendable, Equatable {
    /// The result of evaluating the conditions.
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
    /// The field's value; nil without it.
    package var ifModifiedSince: String?
    /// The field's value; nil without it.
    package var ifUnmodifiedSince: String?

    /// Takes the conditions from a request's fields.
    package init(_ fields: Fields) {
        ifMatch = fields.combined("If-Match")
        ifNoneMatch = fields.combined("If-None-Match")
        // Two lines make a list, which is no date, and an invalid date is ignored.
        ifModifiedSince = fields.combined("If-Modified-Since")
        ifUnmodifiedSince = fields.combined("If-Unmodified-Since")
    }

    /// Evaluates the conditions in the order of RFC 9110 §13.2.2, steps 1 to 4; `ByteRange.select` does step
    /// 5, `If-Range`.
    /// - Parameter received: when the stored representation arrived or was last confirmed; nil if it is not stored. It is used if the
    ///   last modification is unknown (RFC 9111 §4.3.2), because a client's younger copy is the same.
    package func evaluate(
        tag: EntityTag?, lastModified: Timestamp?, received: Timestamp? = nil, now: Timestamp
    ) -> Result {
        if let ifMatch {
            guard Self.matches(ifMatch, tag: tag, by: .strong) else { return .failed }
        } else if let lastModified, let limit = Self.date(ifUnmodifiedSince, now: now) {
            guard lastModified.seconds <= limit.seconds else { return .failed }
        }
        if let ifNoneMatch {
            return Self.matches(ifNoneMatch, tag: tag, by: .weak) ? .notModified : .proceed
        }
        if let lastModified = lastModified ?? received, let since = Self.date(ifModifiedSince, now: now) {
            return lastModified.seconds <= since.seconds ? .notModified : .proceed
        }
        return .proceed
    }

    private static func matches(_ list: String, tag: EntityTag?, by comparison: EntityTag.Comparison) -> Bool
    {
        (tag?.description ?? "").withFieldBytes { tag in
            list.withFieldBytes { EntityTag.matches($0, tag: tag, by: comparison) }
        }
    }

    private static func date(_ text: String?, now: Timestamp) -> Timestamp? {
        text.flatMap { HTTPDate.parse($0, now: now) }
    }
}
