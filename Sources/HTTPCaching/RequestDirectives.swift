// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// The directives of a request (RFC 9111 §5.2.1). Only trusted clients may use them, because each causes work
/// for the origin, or a refusal.
///
/// `no-transform` is not among them: a request for a rendition asks for a transformation. Neither is
/// `no-store`, because one fetch serves all requests that wait for it.
package struct RequestDirectives: Sendable, Hashable {
    /// True to accept only answers that the origin confirms for this request.
    package var noCache = false
    /// True to accept only answers for which the origin need not be asked.
    package var onlyIfCached = false
    /// `max-age` in seconds: the greatest accepted age; nil without it.
    package var maximumAge: Int32?
    /// `min-fresh` in seconds: the shortest accepted rest of freshness; nil without it.
    package var minimumFreshness: Int32?
    /// `max-stale` in seconds past the lifetime; nil without it, `Int32.max` without a number.
    package var maximumStaleness: Int32?

    /// No directive.
    package init() {}

    /// True if no answer that the origin gave earlier is accepted.
    package var wantsConfirmation: Bool { noCache || maximumAge == 0 }

    /// Parses a `Cache-Control` value, several lines joined by commas. Unknown directives are ignored, and so are unreadable numbers,
    /// except that an unreadable `max-age` counts as 0.
    package init(_ text: String) {
        text.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes)
            while scanner.nextElement() {
                if let name = scanner.token() { apply(name, argument: scanner.argument()) }
                scanner.skipElement()
            }
        }
    }

    private mutating func apply(_ name: UnsafeRawBufferPointer, argument: UnsafeRawBufferPointer?) {
        let seconds = argument.flatMap(DeltaSeconds.parse)
        if name.isSame(as: "no-cache") {
            noCache = true
        } else if name.isSame(as: "only-if-cached") {
            onlyIfCached = true
        } else if name.isSame(as: "max-age") {
            maximumAge = maximumAge ?? seconds ?? 0
        } else if name.isSame(as: "min-fresh") {
            minimumFreshness = minimumFreshness ?? seconds
        } else if name.isSame(as: "max-stale"), maximumStaleness == nil {
            maximumStaleness = argument == nil ? .max : seconds
        }
    }
}

extension FieldScanner {
    /// The argument of a directive; nil without one, empty if it cannot be read.
    fileprivate mutating func argument() -> UnsafeRawBufferPointer? {
        let unreadable = UnsafeRawBufferPointer(start: nil, count: 0)
        guard take(.equals) else { return isAtElementEnd() ? nil : unreadable }
        guard let text = quotedString() ?? token(), isAtElementEnd() else { return unreadable }
        return text
    }
}

extension RequestDirectives {
    /// The use of a stored original that the directives allow.
    package enum Verdict: Sendable, Hashable {
        /// The usual rules apply.
        case usual
        /// The original may be served, although it is stale.
        case serve
        /// The origin must confirm the original first, although it may be fresh.
        case validate
    }

    /// The verdict by RFC 9111 §5.2.1.1 to §5.2.1.4 and §4.2.4. No directive allows serving a response that must be validated.
    package func judge(_ freshness: Freshness, at now: Timestamp) -> Verdict {
        let left = freshness.secondsLeft(at: now)
        if noCache { return .validate }
        if let maximumAge, freshness.age(at: now) > Int(maximumAge) { return .validate }
        if let minimumFreshness, left < Int(minimumFreshness) { return .validate }
        guard case .stale = freshness.state(at: now) else { return .usual }
        let mayBeStale = freshness.flags.isDisjoint(with: [.alwaysValidate, .mustRevalidate])
        if let maximumStaleness, mayBeStale, -left <= Int(maximumStaleness) { return .serve }
        return .usual
    }
}
