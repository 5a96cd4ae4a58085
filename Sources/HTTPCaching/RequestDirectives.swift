// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// What a request says about caching (RFC 9111 §5.2.1). Only trusted clients are listened to: each of these makes work
/// for the origin, or a refusal.
///
/// `no-transform` is not among them: who asks for a rendition asks for the transformation. Neither is `no-store`: what is
/// fetched for one is fetched for all who wait for it.
package struct RequestDirectives: Sendable, Hashable {
    /// Nothing is served that the origin has not confirmed for this request.
    package var noCache = false
    /// Nothing is asked of the origin.
    package var onlyIfCached = false
    /// Seconds, as the next two: older than that is not wanted.
    package var maximumAge: Int32?
    /// Still to be fresh for so long.
    package var minimumFreshness: Int32?
    /// Stale by no more than that is welcome; `max-stale` without a number: however stale.
    package var maximumStaleness: Int32?

    package init() {}

    /// A `Cache-Control` field value, of several lines joined by commas. Unknown directives are passed over, and so
    /// are those whose number is none, but for the ones that ask for more care: these are taken as 0 seconds.
    package init(_ text: String) {
        text.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes)
            while scanner.nextElement() {
                if let name = scanner.token() { apply(name, argument: scanner.argument()) }
                scanner.skipElement()
            }
        }
    }

    package var isEmpty: Bool { self == RequestDirectives() }

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
    fileprivate mutating func argument() -> UnsafeRawBufferPointer? {
        take(.equals) ? quotedString() ?? token() : nil
    }
}

extension RequestDirectives {
    /// What may be done with an original that is held.
    package enum Verdict: Sendable, Hashable {
        /// As for everyone.
        case usual
        /// Served as it is, although it is stale.
        case serve
        /// The origin has to confirm it first, although it may be fresh.
        case validate
    }

    /// RFC 9111 §5.2.1.1 to .4, §4.2.4: no request makes an answer stale that must not be.
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
