// SPDX-License-Identifier: Apache-2.0
//
//             failures in a row                          the rest is over and somebody comes
//   closed ────────────────────────────────▶ resting ────────────────────────────────────────▶ probing
//     ▲                                       ▲   ▲                                             │  │  │
//     │                                       │   └── the asker left: over at once, and free ───┘  │  │
//     │                                       └────── the probe failed: twice as long ─────────────┘  │
//     └────────────────────────────────────────────── a probe was answered ───────────────────────────┘

internal import Clients
internal import HTTPSemantics

/// How one origin fares, as all clients or as one client found it: a circuit breaker that is told the time and the chance.
///
/// 500 and the gateway statuses count, 501 and 505 do not: they speak of the request. Nor does an error that comes with a
/// lifetime of its own: such an answer is meant. A `Retry-After` holds back the URL it was given for
/// (`NegativePolicy`) and no other: servers send it for one slow renderer or one picture that is being made.
///
/// A rest is half fixed and half drawn ("equal jitter"; Exponential Backoff and Jitter, AWS Architecture Blog), so that
/// many of us do not come back to a recovering server all at once. Each is twice the one before, for refreshes behind stale
/// answers, which can wait. A request that would get nothing meanwhile is a probe as soon as the first rest has passed since
/// the last probe set out: an origin that is back serves new pictures at once, and a dead one is asked once in that time.
struct OriginHealth: Sendable {
    enum State: Sendable, Equatable {
        /// Every request may ask. Leads to `resting`.
        case closed
        /// No request asks before `until`, in microseconds; none that would get nothing otherwise before `wanted`. The first
        /// one after it asks for all. Leads to `probing`.
        case resting(wanted: Int64, until: Int64)
        /// One request asks, by that number. Its sign leads to `closed` or `resting`. From `wanted` on another one may take its
        /// place, for a request that hangs tells nothing.
        case probing(UInt64, wanted: Int64)
    }

    /// The origin's state for a request that comes now.
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

    /// A change of the state, for the log.
    enum Change: Sendable, Equatable {
        /// Microseconds.
        case rests(for: Int64)
        case probeFailed(for: Int64)
        case recovered
    }

    /// The result of one exchange.
    struct News: Sendable {
        var sign: OriginSign
        /// The client that asked; those without an address are one client.
        var client: ClientKey?
        /// By which number; 0: before anything was wrong.
        var number: UInt64
        /// The last number that was given out.
        var latest: UInt64
        /// Microseconds.
        var now: Int64
        /// 0..<1.
        var chance: Double
    }

    private(set) var state = State.closed
    /// In a row, while closed.
    private(set) var failures = 0
    /// Rests without a success between them.
    private(set) var rests = 0
    /// Microseconds.
    private(set) var lastNews: Int64 = 0
    /// Failures in a row of one client, of those that a URL can bring about, that count.
    private let share: Int
    /// Those of the URLs that failed in this row.
    private var failedURLs: Set<Int> = []
    /// Their number by client.
    private var failuresOfClient: [ClientKey?: Int] = [:]
    /// The last number that was given out when it fell sick: a request with a higher one asked afterwards.
    private var sickSince: UInt64 = 0

    init(share: Int) { self.share = share }

    /// Nothing to remember.
    var isWell: Bool { state == .closed && failures == 0 }

    /// Too long ago to mean anything.
    func isForgotten(now: Int64, _ policy: HealthPolicy) -> Bool {
        switch state {
        case .closed: now - lastNews > policy.memory
        case .resting(_, let until): now - until > policy.memory
        case .probing: false
        }
    }

    /// - Parameter isWanted: the asker would get nothing otherwise.
    func outlook(now: Int64, isWanted: Bool) -> Outlook {
        switch state {
        case .closed: .well
        case .resting(let wanted, let until):
            now >= (isWanted ? wanted : until) ? .probeDue : rest(wanted, now)
        case .probing(_, let wanted): isWanted && now >= wanted ? .probeDue : rest(wanted, now)
        }
    }

    private func rest(_ until: Int64, _ now: Int64) -> Outlook {
        .resting(OriginRest(seconds: max(1, Int((until - now + 999_999) / 1_000_000))))
    }

    /// A request wants to ask, by that number.
    mutating func enter(_ number: UInt64, now: Int64, isWanted: Bool, _ policy: HealthPolicy) -> Entry {
        switch outlook(now: now, isWanted: isWanted) {
        case .well: return .asks
        case .resting(let rest): return .refused(rest)
        case .probeDue:
            state = .probing(number, wanted: now + policy.firstRest)
            return .probes
        }
    }

    mutating func hear(_ news: News, _ policy: HealthPolicy) -> Change? {
        switch state {
        case .closed: return heardWhileClosed(news, policy)
        // A request that set out after it fell sick is a probe, though another may have taken its place.
        case _ where news.sign == .well && news.number > sickSince:
            self = OriginHealth(share: share)
            return .recovered
        case .probing(news.number, _): return heardOfProbe(news, policy)
        case .resting, .probing: return nil
        }
    }

    private mutating func heardWhileClosed(_ news: News, _ policy: HealthPolicy) -> Change? {
        if isForgotten(now: news.now, policy) { self = OriginHealth(share: share) }
        switch news.sign {
        case .none: return nil
        case .well:
            self = OriginHealth(share: share)
            return nil
        case .down: failures += 1
        case .failed(let url):
            let counted = failuresOfClient[news.client, default: 0]
            if counted < share, failedURLs.insert(url).inserted {
                failuresOfClient[news.client] = counted + 1
                failures += 1
            }
        }
        lastNews = news.now
        guard policy.failures > 0, failures >= policy.failures else { return nil }
        sickSince = news.latest
        return .rests(for: rest(news, policy))
    }

    private mutating func heardOfProbe(_ news: News, _ policy: HealthPolicy) -> Change? {
        switch news.sign {
        case .none, .well:
            state = .resting(wanted: news.now, until: news.now)
            return nil
        case .down, .failed: return .probeFailed(for: rest(news, policy))
        }
    }

    /// - Returns: for how many microseconds.
    private mutating func rest(_ news: News, _ policy: HealthPolicy) -> Int64 {
        // 2^30 first rests are beyond every longest one.
        let (full, overflow) = policy.firstRest.multipliedReportingOverflow(by: 1 << min(rests, 30))
        let half = min(overflow ? .max : full, policy.longestRest) / 2
        // Cannot trap: a part of half the longest rest.
        let span = half + Int64(Double(half) * news.chance)
        state = .resting(wanted: news.now + min(span, policy.firstRest), until: news.now + span)
        rests += 1
        (failures, failedURLs, failuresOfClient, lastNews) = (0, [], [:], news.now)
        return span
    }
}
