// SPDX-License-Identifier: Apache-2.0

/// The conditions of a GET or HEAD on a representation that exists (RFC 9110 §13).
package struct Preconditions: Sendable, Equatable {
    package enum Result: Sendable, Equatable {
        case proceed
        /// 304.
        case notModified
        /// 412.
        case failed
    }

    package var ifMatch: String?
    package var ifNoneMatch: String?
    package var ifModifiedSince: String?
    package var ifUnmodifiedSince: String?

    package init(_ fields: Fields) {
        ifMatch = fields.combined("If-Match")
        ifNoneMatch = fields.combined("If-None-Match")
        // Two lines make a list, a list of dates is not a date, and what is not a date is ignored.
        ifModifiedSince = fields.combined("If-Modified-Since")
        ifUnmodifiedSince = fields.combined("If-Unmodified-Since")
    }

    /// In the order of RFC 9110 §13.2.2, steps 1 to 4; step 5, `If-Range`, is `ByteRange.select`'s.
    /// - Parameter received: when a stored representation came or was confirmed last; nil: it is not stored. It stands in for a
    ///   last modification that is not known (RFC 9111 §4.3.2): whoever has had it since then has this one.
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
