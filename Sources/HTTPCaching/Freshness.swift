// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// What a stored response's fields come down to: everything needed to say, at any later moment and without
/// the fields, whether it may be served (RFC 9111 §4.2, RFC 5861).
///
/// Fixed size and free of references, so that the disk index can hold a million of them in memory.
package struct Freshness: Sendable, Hashable {
    package struct Flags: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// `no-cache` or `Vary: *`: stored, but never served without asking (RFC 9111 §4.1, §5.2.2.4).
        package static let alwaysValidate = Flags(rawValue: 1 << 0)
        /// `must-revalidate`, `proxy-revalidate` or `s-maxage`: never served stale (RFC 9111 §5.2.2.2, .8,
        /// .10).
        package static let mustRevalidate = Flags(rawValue: 1 << 1)
        /// The lifetime was guessed from `Last-Modified` (RFC 9111 §4.2.2).
        package static let heuristic = Flags(rawValue: 1 << 2)
        /// `immutable` (RFC 8246), for clients, with a lifetime that the origin gave.
        package static let immutable = Flags(rawValue: 1 << 3)
        /// Stored because `CDN-Cache-Control` says so, while `Cache-Control` tells everyone else `no-store`.
        package static let clientsMayNotStore = Flags(rawValue: 1 << 4)
        /// The same with `private`.
        package static let privateToClients = Flags(rawValue: 1 << 5)
        /// `Vary` names fields: what they said in the request is kept with the original (RFC 9111 §4.1).
        package static let varies = Flags(rawValue: 1 << 6)
    }

    /// When the response (or the last 304 that refreshed it) arrived.
    package var responseTime: Timestamp
    /// `corrected_initial_age` of RFC 9111 §4.2.3, in seconds: how old it already was on arrival.
    package var initialAge: Int32
    /// `freshness_lifetime` of RFC 9111 §4.2.1, in seconds, after the configured bounds.
    package var lifetime: Int32
    /// What the origin grants to browsers, in seconds: less than `lifetime` where `s-maxage` or
    /// `CDN-Cache-Control` grants more to us than `max-age` or `Expires` grants to them; else the same.
    package var clientLifetime: Int32
    /// Seconds after the lifetime in which it may be served while it is refreshed (RFC 5861 §3).
    package var staleWhileRevalidate: Int32
    /// Seconds after the lifetime in which it may be served if the origin fails (RFC 5861 §4).
    package var staleIfError: Int32
    package var flags: Flags

    package init(
        responseTime: Timestamp, initialAge: Int32, lifetime: Int32, clientLifetime: Int32? = nil,
        staleWhileRevalidate: Int32, staleIfError: Int32, flags: Flags
    ) {
        self.responseTime = responseTime
        self.initialAge = initialAge
        self.lifetime = lifetime
        self.clientLifetime = clientLifetime ?? lifetime
        self.staleWhileRevalidate = staleWhileRevalidate
        self.staleIfError = staleIfError
        self.flags = flags
    }
}

extension Freshness {
    package enum State: Sendable, Hashable {
        /// Servable without asking for this many seconds, at least 1.
        case fresh(secondsLeft: Int)
        /// Past its lifetime by this many seconds, or (0) not to be served without asking anyway.
        case stale(seconds: Int, mayServeWhileRevalidating: Bool, mayServeOnError: Bool)
    }

    /// Seconds by which a clock may go back in everyday life.
    private static var clockStep: Int64 { 60 }

    /// `current_age` of RFC 9111 §4.2.3, in whole seconds. A clock that went back behind the arrival adds
    /// nothing.
    package func age(at now: Timestamp) -> Int {
        // The time may have been read from a damaged disk, and must not overflow.
        guard now > responseTime else { return Int(initialAge) }
        let (milliseconds, isHuge) = now.milliseconds.subtractingReportingOverflow(responseTime.milliseconds)
        return Int(initialAge) + Int((isHuge ? .max : milliseconds) / 1000)
    }

    /// Seconds until it becomes stale; negative once it is. `no-cache` is not considered.
    package func secondsLeft(at now: Timestamp) -> Int { Int(lifetime) - age(at: now) }

    /// The same, but stale from now on: for what was purged softly. What the origin allows of stale answers stays.
    package func expired(at now: Timestamp) -> Freshness {
        var expired = self
        expired.lifetime = min(lifetime, Int32(clamping: age(at: now)))
        expired.clientLifetime = min(clientLifetime, expired.lifetime)
        return expired
    }

    package func state(at now: Timestamp) -> State {
        let left = secondsLeft(at: now)
        // It arrived in a future that the clock has been set back from: its age is unknown, and would stay so for as
        // long as the clock was ahead.
        if responseTime.seconds > now.seconds + Self.clockStep {
            let allowed = flags.isDisjoint(with: [.mustRevalidate, .alwaysValidate])
            return .stale(
                seconds: 0, mayServeWhileRevalidating: false, mayServeOnError: allowed && staleIfError > 0)
        }
        if flags.contains(.alwaysValidate) {
            return .stale(seconds: max(-left, 0), mayServeWhileRevalidating: false, mayServeOnError: false)
        }
        if left > 0 { return .fresh(secondsLeft: left) }
        let allowed = !flags.contains(.mustRevalidate)
        return .stale(
            seconds: -left, mayServeWhileRevalidating: allowed && -left < Int(staleWhileRevalidate),
            mayServeOnError: allowed && -left < Int(staleIfError))
    }
}
