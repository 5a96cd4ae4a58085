// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// The bounds of what clients are told. All durations in seconds.
package struct ClientPolicy: Sendable, Hashable {
    /// Clients may reuse an answer at least this long from now; but `no-cache` and `no-store` stay what they
    /// are.
    package var minimumLifetime: Int32 = 0
    /// And at most this long from now.
    package var maximumLifetime: Int32 = 31_536_000
    /// The moment from which on nobody may serve the answer any more, fresh or stale; nil = no such moment.
    package var end: Timestamp?

    package init() {}

    package init(minimumLifetime: Int32, maximumLifetime: Int32) {
        self.minimumLifetime = minimumLifetime
        self.maximumLifetime = maximumLifetime
    }
}

/// `Cache-Control` and `Age` for our own clients.
///
/// What is left of the original's freshness is what is left of the rendition's. So `max-age` is the
/// original's lifetime and `Age` its age, as a cache passes them on (RFC 9111 §5.1), and the first stays the
/// same while the second grows. Only where a bound, or a shorter lifetime for browsers, changes what is left,
/// `max-age` is reckoned anew as that plus `Age`.
///
/// An answer that ends leaves no cache any leave to serve it stale, be it by itself (RFC 9111 §4.2.4) or by
/// `stale-while-revalidate`.
package struct ClientDirectives: Sendable, Hashable {
    package enum CacheControl: Sendable, Hashable {
        case noStore
        /// To be kept, and asked about every time.
        case noCache(isPrivate: Bool)
        /// Seconds.
        case keep(
            maxAge: Int, staleWhileRevalidate: Int, mustRevalidate: Bool, isPrivate: Bool,
            isImmutable: Bool = false)
    }

    package var cacheControl: CacheControl
    /// Seconds.
    package var age: Int

    package init(_ freshness: Freshness, at now: Timestamp, policy: ClientPolicy) {
        age = freshness.age(at: now)
        let isPrivate = freshness.flags.contains(.privateToClients)
        let mustRevalidate = freshness.flags.contains(.mustRevalidate) || policy.end != nil
        if freshness.flags.contains(.clientsMayNotStore) {
            cacheControl = .noStore
        } else if freshness.flags.contains(.alwaysValidate) {
            cacheControl = .noCache(isPrivate: isPrivate)
        } else {
            let granted = Self.granted(freshness, age: age, at: now, policy)
            cacheControl = .keep(
                maxAge: granted + age,
                staleWhileRevalidate: mustRevalidate ? 0 : Int(freshness.staleWhileRevalidate),
                mustRevalidate: mustRevalidate, isPrivate: isPrivate,
                // RFC 8246: for the lifetime that the origin gave with it, and for no other.
                isImmutable: freshness.flags.contains(.immutable) && granted > 0
                    && granted == Self.grantedByOrigin(freshness, age: age))
        }
    }

    /// Whether `Cache-Control` says the same at every moment while the original is fresh.
    package static func isConstant(_ freshness: Freshness, policy: ClientPolicy) -> Bool {
        freshness.clientLifetime == freshness.lifetime && policy.minimumLifetime <= 0 && policy.end == nil
            && Int(freshness.lifetime) - Int(freshness.initialAge) <= Int(policy.maximumLifetime)
    }

    /// The same without our bounds.
    private static func grantedByOrigin(_ freshness: Freshness, age: Int) -> Int {
        min(Int(freshness.lifetime) - age, Int(freshness.clientLifetime))
    }

    /// Seconds from now.
    private static func granted(
        _ freshness: Freshness, age: Int, at now: Timestamp, _ policy: ClientPolicy
    ) -> Int {
        var granted = grantedByOrigin(freshness, age: age)
        if policy.minimumLifetime > 0 { granted = max(granted, Int(policy.minimumLifetime)) }
        granted = min(granted, Int(policy.maximumLifetime))
        guard let end = policy.end else { return granted }
        return min(granted, Int((end.milliseconds - now.milliseconds) / 1000))
    }
}

extension ClientDirectives.CacheControl {
    /// For a refusal that is remembered for so many seconds.
    package static func refusal(seconds: Int) -> Self {
        seconds > 0
            ? .keep(maxAge: seconds, staleWhileRevalidate: 0, mustRevalidate: false, isPrivate: false)
            : .noStore
    }

    /// Bytes that the longest one takes.
    package static let capacity = 112

    /// The field value.
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

    package var text: String { String(capacity: Self.capacity) { append(to: &$0) } }
}
