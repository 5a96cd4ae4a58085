// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// The caching rules of a stored response, condensed (RFC 9111 §4.2, RFC 5861): they tell at any later moment, without the fields,
/// whether the response may be served.
///
/// Fixed size and without references, so that the disk index can hold a million of them in memory.
package struct Freshness: Sendable, Hashable {
    /// Rules without a number.
    package struct Flags: OptionSet, Sendable, Hashable {
        /// A bit for each flag; stored in the disk index.
        package let rawValue: UInt16
        /// Takes the bits.
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// `no-cache` or `Vary: *`: stored, but validated for each request (RFC 9111 §4.1, §5.2.2.4).
        package static let alwaysValidate = Flags(rawValue: 1 << 0)
        /// `must-revalidate`, `proxy-revalidate` or `s-maxage`: never served stale (RFC 9111 §5.2.2.2, §5.2.2.8, §5.2.2.10). Also set
        /// for a response that may have been purged, until its origin has confirmed it.
        package static let mustRevalidate = Flags(rawValue: 1 << 1)
        /// The lifetime is a heuristic based on `Last-Modified` (RFC 9111 §4.2.2).
        package static let heuristic = Flags(rawValue: 1 << 2)
        /// `immutable` (RFC 8246) for clients; set only beside a lifetime from the origin.
        package static let immutable = Flags(rawValue: 1 << 3)
        /// `CDN-Cache-Control` allows us to store, while `Cache-Control` says `no-store` to all other caches.
        package static let clientsMayNotStore = Flags(rawValue: 1 << 4)
        /// As `clientsMayNotStore`, but `Cache-Control` says `private`.
        package static let privateToClients = Flags(rawValue: 1 << 5)
        /// `Vary` names fields, or redirects led to the response. Its stored fields then have the request's values of these fields
        /// (RFC 9111 §4.1), and a code of the rules by which redirects were followed.
        package static let varies = Flags(rawValue: 1 << 6)
        /// A soft purge has ended the lifetime, even if a clock that was set back would make the response younger.
        package static let expired = Flags(rawValue: 1 << 7)
        /// As `clientsMayNotStore`, but `Cache-Control` says `no-cache`.
        package static let clientsMustValidate = Flags(rawValue: 1 << 8)
        /// As `clientsMayNotStore`, but `Cache-Control` forbids serving it stale.
        package static let clientsMustRevalidate = Flags(rawValue: 1 << 9)
        /// `stale-while-revalidate` comes from `CDN-Cache-Control`; `Cache-Control` grants a shorter time, or none.
        package static let staleHereOnly = Flags(rawValue: 1 << 10)
    }

    /// When the response arrived, or the last 304 that refreshed it.
    package var responseTime: Timestamp
    /// `corrected_initial_age` of RFC 9111 §4.2.3: the age on arrival, in seconds.
    package var initialAge: Int32
    /// `freshness_lifetime` of RFC 9111 §4.2.1, in seconds, after the configured bounds.
    package var lifetime: Int32
    /// The lifetime for browsers, in seconds. It is shorter than `lifetime` if `s-maxage` or `CDN-Cache-Control` allows us more than
    /// `max-age` or `Expires` allows browsers; otherwise equal.
    package var clientLifetime: Int32
    /// Seconds after the lifetime in which the response may be served while it is revalidated (RFC 5861 §3).
    package var staleWhileRevalidate: Int32
    /// Seconds after the lifetime in which the response may be served if the origin fails (RFC 5861 §4).
    package var staleIfError: Int32
    /// Rules without a number.
    package var flags: Flags

    /// `clientLifetime` is `lifetime` if nil. Durations in seconds.
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
    /// The state at one moment.
    package enum State: Sendable, Hashable {
        /// May be served without asking the origin for this many seconds, at least 1.
        case fresh(secondsLeft: Int)
        /// Past its lifetime by this many seconds; 0 if it must be validated although its lifetime lasts.
        case stale(seconds: Int, mayServeWhileRevalidating: Bool, mayServeOnError: Bool)
    }

    /// Seconds by which a clock may be set back in normal operation.
    private static var clockStep: Int64 { 60 }

    /// `current_age` of RFC 9111 §4.2.3, in whole seconds; never less than `initialAge`, even if the clock
    /// was set back before the arrival.
    package func age(at now: Timestamp) -> Int {
        // A damaged disk may give any time, which must not overflow.
        guard now > responseTime else { return Int(initialAge) }
        let (milliseconds, isHuge) = now.milliseconds.subtractingReportingOverflow(responseTime.milliseconds)
        return Int(initialAge) + Int((isHuge ? .max : milliseconds) / 1000)
    }

    /// Seconds until the response becomes stale; not positive once it is. Ignores `no-cache`.
    package func secondsLeft(at now: Timestamp) -> Int {
        secondsLeft(at: now, isFuture: isFuture(at: now))
    }

    private func secondsLeft(at now: Timestamp, isFuture: Bool) -> Int {
        let left = Int(lifetime) - age(at: now)
        return isFuture || flags.contains(.expired) ? min(left, 0) : left
    }

    /// True if the clock was set back to before the arrival, so that the age is unknown until the clock has caught up.
    private func isFuture(at now: Timestamp) -> Bool {
        responseTime.seconds > now.seconds + Self.clockStep
    }

    /// A copy that is stale from now on, for a soft purge. It may be served stale as far as the origin allows.
    package func expired(at now: Timestamp) -> Freshness {
        var expired = self
        expired.lifetime = min(lifetime, Int32(clamping: age(at: now)))
        expired.clientLifetime = min(clientLifetime, expired.lifetime)
        expired.flags.insert(.expired)
        return expired
    }

    /// A copy that is stale and may not be served before its origin has confirmed it, even if a request accepts stale answers.
    package func unconfirmed(at now: Timestamp) -> Freshness {
        var unconfirmed = expired(at: now)
        (unconfirmed.staleWhileRevalidate, unconfirmed.staleIfError) = (0, 0)
        unconfirmed.flags.insert(.mustRevalidate)
        return unconfirmed
    }

    /// A copy that is fresh for at most `seconds` from now on, and may be served stale for at most as long, for an answer that
    /// another one will replace.
    package func ending(in seconds: Int32, at now: Timestamp) -> Freshness {
        var ending = self
        // Cannot trap: an age is less than a hundredth of the greatest number.
        ending.lifetime = min(lifetime, Int32(clamping: age(at: now) + Int(seconds)))
        ending.clientLifetime = min(clientLifetime, ending.lifetime)
        ending.staleWhileRevalidate = min(staleWhileRevalidate, seconds)
        ending.staleIfError = min(staleIfError, seconds)
        ending.flags.remove(.immutable)
        return ending
    }

    /// The freshness of an answer that is made of this response and another one, with the restrictions of both: it is stale when the
    /// first of them is, and may be served stale and kept by clients only as long as both allow.
    package func joined(with other: Freshness, at now: Timestamp) -> Freshness {
        // The difference between the ages, because `joined` counts its lifetime in the age of this response.
        let shift = age(at: now) - other.age(at: now)
        var joined = self
        joined.lifetime = max(0, min(lifetime, Int32(clamping: Int(other.lifetime) + shift)))
        joined.clientLifetime = min(joined.lifetime, shorterForClients, other.shorterForClients)
        func window(_ own: Int32, _ others: Int32) -> Int32 {
            let end = min(Int(lifetime) + Int(own), Int(other.lifetime) + Int(others) + shift)
            return Int32(clamping: max(0, end - Int(joined.lifetime)))
        }
        joined.staleWhileRevalidate = window(staleWhileRevalidate, other.staleWhileRevalidate)
        joined.staleIfError = window(staleIfError, other.staleIfError)
        let lenient: Flags = flags.intersection(other.flags).intersection(.immutable)
        joined.flags = flags.union(other.flags.subtracting(.varies)).subtracting(.immutable).union(lenient)
        if other.isFuture(at: now) { joined.flags.insert(.alwaysValidate) }
        let told = joined.staleWhileRevalidate
        if withholdsFromClients(told) || other.withholdsFromClients(told) {
            joined.flags.insert(.staleHereOnly)
        }
        return joined
    }

    /// True if these seconds of `stale-while-revalidate`, which end another response's lifetime, must not be told to clients: this
    /// response is still fresh for us then, but not for browsers.
    func withholdsFromClients(_ whileRevalidate: Int32) -> Bool {
        clientLifetime < lifetime && whileRevalidate > staleWhileRevalidate
    }

    /// The lifetime for browsers if it is shorter than ours; it counts from each answer on, whatever the age. Otherwise the largest
    /// number.
    private var shorterForClients: Int32 { clientLifetime < lifetime ? clientLifetime : .max }

    /// The state at `now`: fresh or stale, and the uses that are allowed.
    package func state(at now: Timestamp) -> State {
        let isFuture = isFuture(at: now)
        let left = secondsLeft(at: now, isFuture: isFuture)
        if isFuture {
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
