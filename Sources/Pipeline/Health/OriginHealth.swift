// SPDX-License-Identifier: Apache-2.0
//
//             failures in a row, or a 429                the rest is over and somebody comes
//   closed ────────────────────────────────▶ resting ────────────────────────────────────────▶ probing
//     ▲                                       ▲   ▲                                             │  │  │
//     │                                       │   └── the asker left: over at once, and free ───┘  │  │
//     │                                       └────── the probe failed: twice as long ─────────────┘  │
//     └────────────────────────────────────────────── the probe was answered ─────────────────────────┘

/// How one origin fares: a circuit breaker that is told the time and the chance.
///
/// What counts for the whole origin:
/// - A 429 does at once, because throttling is about who asks and not about what for. It rests for its `Retry-After`.
/// - A 503 counts as a failure like any other 5xx, even with `Retry-After`: servers send it for one slow renderer or one
///   picture that is being made, and resting for it would let that one take all others from the page. The URL itself is
///   left alone that long anyway (`NegativePolicy`). Only when different URLs fail in a row is it the origin, which
///   then rests for the longest pause that they named.
/// - 500 and the gateway statuses count, 501 and 505 do not: they speak of the request. Nor does an error that comes with
///   a lifetime of its own: it is an answer that somebody meant.
///
/// A rest is half fixed and half drawn ("equal jitter"; Exponential Backoff and Jitter, AWS Architecture Blog), so that
/// many of us do not come back to a recovering server all at once.
struct OriginHealth: Sendable {
    enum State: Sendable, Equatable {
        /// Who comes asks. Leaves to `resting`.
        case closed
        /// Nobody asks until then, in microseconds. Who comes first after it asks for all, in `probing`.
        case resting(until: Int64)
        /// One asks, by that number. Leaves by what it learns to `closed` or `resting`.
        case probing(UInt64)
    }

    /// What somebody who came now would find.
    enum Outlook: Sendable, Equatable {
        case well
        /// The rest is over, and nobody has asked yet.
        case probeDue
        case resting(OriginRest)
    }

    enum Entry: Sendable, Equatable {
        case asks
        case probes
        case refused(OriginRest)
    }

    /// What changed, for the log.
    enum Change: Sendable, Equatable {
        /// Microseconds.
        case rests(OriginRest.Cause, for: Int64)
        case probeFailed(OriginRest.Cause, for: Int64)
        case recovered
    }

    private(set) var state = State.closed
    private(set) var cause = OriginRest.Cause.failing
    /// In a row, while closed.
    private(set) var failures = 0
    /// Those of the URLs that failed in this row.
    private var failedURLs: Set<Int> = []
    /// The longest pause that was asked for in this row, in seconds.
    private var askedPause = 0
    /// Rests without a success between them.
    private(set) var rests = 0
    /// Microseconds.
    private(set) var lastNews: Int64 = 0

    /// Nothing to remember.
    var isWell: Bool { state == .closed && failures == 0 }

    /// Too long ago to mean anything.
    func isForgotten(now: Int64, _ policy: HealthPolicy) -> Bool {
        switch state {
        case .closed: now - lastNews > policy.memory
        case .resting(let until): now - until > policy.memory
        case .probing: false
        }
    }

    func outlook(now: Int64) -> Outlook {
        switch state {
        case .closed: .well
        case .resting(let until) where now >= until: .probeDue
        case .resting(let until):
            .resting(OriginRest(cause: cause, seconds: Int((until - now + 999_999) / 1_000_000)))
        case .probing: .resting(OriginRest(cause: cause, seconds: 1))
        }
    }

    /// Somebody wants to ask, by that number.
    mutating func enter(_ number: UInt64, now: Int64) -> Entry {
        switch outlook(now: now) {
        case .well: return .asks
        case .resting(let rest): return .refused(rest)
        case .probeDue:
            state = .probing(number)
            return .probes
        }
    }

    /// - Parameters:
    ///   - number: whose news it is.
    ///   - chance: 0..<1.
    mutating func hear(
        _ sign: OriginSign, from number: UInt64, now: Int64, chance: Double, _ policy: HealthPolicy
    ) -> Change? {
        switch state {
        case .closed: return heardWhileClosed(sign, now: now, chance: chance, policy)
        case .resting(let until):
            // It was asked before the rest began; only a longer pause is news.
            if case .throttled(let pause?) = sign {
                state = .resting(until: max(until, now + Self.asked(pause, policy)))
            }
            return nil
        case .probing(number): return heardOfProbe(sign, now: now, chance: chance, policy)
        case .probing: return nil
        }
    }

    private mutating func heardWhileClosed(
        _ sign: OriginSign, now: Int64, chance: Double, _ policy: HealthPolicy
    ) -> Change? {
        if isForgotten(now: now, policy) { self = OriginHealth() }
        switch sign {
        case .none: return nil
        case .well:
            self = OriginHealth()
            return nil
        case .throttled(let pause):
            return .rests(.throttled, for: rest(.throttled, pause, now: now, chance: chance, policy))
        case .down: failures += 1
        case .failed(let url, let pause):
            if failedURLs.insert(url).inserted { failures += 1 }
            askedPause = max(askedPause, pause ?? 0)
        }
        lastNews = now
        guard policy.failures > 0, failures >= policy.failures else { return nil }
        return .rests(.failing, for: rest(.failing, askedPause, now: now, chance: chance, policy))
    }

    private mutating func heardOfProbe(
        _ sign: OriginSign, now: Int64, chance: Double, _ policy: HealthPolicy
    ) -> Change? {
        switch sign {
        case .none:
            state = .resting(until: now)
            return nil
        case .well:
            self = OriginHealth()
            return .recovered
        case .down:
            return .probeFailed(.failing, for: rest(.failing, nil, now: now, chance: chance, policy))
        case .failed(_, let pause):
            return .probeFailed(.failing, for: rest(.failing, pause, now: now, chance: chance, policy))
        case .throttled(let pause):
            return .probeFailed(.throttled, for: rest(.throttled, pause, now: now, chance: chance, policy))
        }
    }

    /// - Returns: for how many microseconds.
    private mutating func rest(
        _ cause: OriginRest.Cause, _ pause: Int?, now: Int64, chance: Double, _ policy: HealthPolicy
    ) -> Int64 {
        // 2^30 first rests are beyond every longest one.
        let (full, overflow) = policy.firstRest.multipliedReportingOverflow(by: 1 << min(rests, 30))
        let half = min(overflow ? .max : full, policy.longestRest) / 2
        // Cannot trap: a part of half the longest rest.
        let drawn = half + Int64(Double(half) * chance)
        let asked = Self.asked(pause ?? 0, policy)
        // Who throttles and says for how long is taken at his word, however often he says it.
        let span = cause == .throttled && asked > 0 ? asked : max(drawn, asked)
        self.cause = cause
        state = .resting(until: now + span)
        rests += 1
        (failures, failedURLs, askedPause, lastNews) = (0, [], 0, now)
        return span
    }

    private static func asked(_ seconds: Int, _ policy: HealthPolicy) -> Int64 {
        Int64(min(seconds, policy.longestPause)) * 1_000_000
    }
}
