// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// The operator's bounds on clients' caches. All durations in seconds.
package struct ClientPolicy: Sendable, Hashable {
    /// The shortest time from now for which clients may reuse an answer; `no-cache` and `no-store` still apply.
    package var minimumLifetime: Int32 = 0
    /// The longest time from now for which clients may reuse an answer.
    package var maximumLifetime: Int32 = 31_536_000
    /// The moment after which no cache may serve the answer, fresh or stale; nil = no such moment.
    package var end: Timestamp?

    /// Every bound at its default.
    package init() {}

    /// Bounds without an end.
    package init(minimumLifetime: Int32, maximumLifetime: Int32) {
        self.minimumLifetime = minimumLifetime
        self.maximumLifetime = maximumLifetime
    }
}

/// `Cache-Control` and `Age` for our own clients.
///
/// A rendition is fresh for as long as its original. So `max-age` is the original's lifetime and `Age` its age, as a cache passes
/// them on (RFC 9111 §5.1): `max-age` stays constant while `Age` grows. If a bound, or a shorter lifetime for browsers, changes the
/// remaining time, `max-age` is that time plus `Age`.
///
/// An answer with an end must not be served stale by any cache, neither by the cache's own choice (RFC 9111 §4.2.4) nor by
/// `stale-while-revalidate`.
package struct ClientDirectives: Sendable, Hashable {
    /// The directives of our own `Cache-Control`.
    package enum CacheControl: Sendable, Hashable {
        case noStore
        /// May be kept, but must be validated for each request.
        case noCache(isPrivate: Bool)
        /// May be reused; durations in seconds.
        case keep(
            maxAge: Int, staleWhileRevalidate: Int, mustRevalidate: Bool, isPrivate: Bool,
            isImmutable: Bool = false)
    }

    /// The value of `Cache-Control`.
    package var cacheControl: CacheControl
    /// The value of `Age`, in seconds.
    package var age: Int

    /// The directives for an answer that is sent at `now`.
    package init(_ freshness: Freshness, at now: Timestamp, policy: ClientPolicy) {
        age = freshness.age(at: now)
        let isPrivate = freshness.flags.contains(.privateToClients)
        let mustRevalidate =
            !freshness.flags.isDisjoint(with: [.mustRevalidate, .clientsMustRevalidate]) || policy.end != nil
        let isStaleHereOnly = mustRevalidate || freshness.flags.contains(.staleHereOnly)
        if freshness.flags.contains(.clientsMayNotStore) {
            cacheControl = .noStore
        } else if !freshness.flags.isDisjoint(with: [.alwaysValidate, .clientsMustValidate]) {
            cacheControl = .noCache(isPrivate: isPrivate)
        } else {
            let granted = Self.granted(freshness, at: now, policy)
            cacheControl = .keep(
                maxAge: granted + age,
                staleWhileRevalidate: isStaleHereOnly ? 0 : Int(freshness.staleWhileRevalidate),
                mustRevalidate: mustRevalidate, isPrivate: isPrivate,
                // RFC 8246: applies only to exactly the lifetime that the origin sent.
                isImmutable: freshness.flags.contains(.immutable) && granted > 0
                    && granted == Self.grantedByOrigin(freshness, at: now))
        }
    }

    /// True if `Cache-Control` is the same at every moment while the original is fresh.
    package static func isConstant(_ freshness: Freshness, policy: ClientPolicy) -> Bool {
        freshness.clientLifetime == freshness.lifetime && policy.minimumLifetime <= 0 && policy.end == nil
            && Int(freshness.lifetime) - Int(freshness.initialAge) <= Int(policy.maximumLifetime)
    }

    /// Seconds left for clients by the origin's fields, without our bounds.
    private static func grantedByOrigin(_ freshness: Freshness, at now: Timestamp) -> Int {
        min(freshness.secondsLeft(at: now), Int(freshness.clientLifetime))
    }

    /// Seconds left for clients, within our bounds.
    private static func granted(_ freshness: Freshness, at now: Timestamp, _ policy: ClientPolicy) -> Int {
        var granted = grantedByOrigin(freshness, at: now)
        if policy.minimumLifetime > 0 { granted = max(granted, Int(policy.minimumLifetime)) }
        granted = min(granted, Int(policy.maximumLifetime))
        guard let end = policy.end else { return granted }
        return min(granted, Int((end.milliseconds - now.milliseconds) / 1000))
    }
}

extension ClientDirectives.CacheControl {
    /// The directives of a refusal that is remembered for this many seconds; `no-store` for 0.
    /// - Parameter hasEnd: true if the URL is valid for a limited time, after which the refusal must not be served stale.
    package static func refusal(seconds: Int, hasEnd: Bool = false, isPrivate: Bool = false) -> Self {
        seconds > 0
            ? .keep(maxAge: seconds, staleWhileRevalidate: 0, mustRevalidate: hasEnd, isPrivate: isPrivate)
            : .noStore
    }

    /// Bytes of the longest field value.
    package static let capacity = 112

    /// Appends the field value.
    package func append(to writer: inout ByteWriter) {
        switch self {
        case .noStore: writer.append("no-store")
        case .noCache(let isPrivate): writer.append(isPrivate ? "private, no-cache" : "public, no-cache")
        case .keep(let maxAge, let staleWhileRevalidate, let mustRevalidate, let isPrivate, let isImmutable):
            writer.append(isPrivate ? "private, max-age=" : "public, max-age=")
            writer.append(max(maxAge, 0))
            if staleWhileRevalidate > 0 {
                writer.append(", stale-while-revalidate=")
                writer.append(staleWhileRevalidate)
            }
            if mustRevalidate { writer.append(", must-revalidate") }
            if isImmutable { writer.append(", immutable") }
        }
    }

    /// The field value.
    package var text: String { String(capacity: Self.capacity) { append(to: &$0) } }
}
