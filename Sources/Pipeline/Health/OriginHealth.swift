// SPDX-License-Identifier: Apache-2.0
//
//             failures in a row                          the rest is over and somebody comes
//   closed ────────────────────────────────▶ resting ────────────────────────────────────────▶ probing
//     ▲                                       ▲   ▲                                             │  │  │
//     │                                       │   └── the asker left: over at once, and free ───┘  │  │
//     │                                       └────── the probe failed: twice as long ─────────────┘  │
//     └────────────────────────────────────────────── a probe was answered ───────────────────────────┘

internal import Clients

/// A circuit breaker (Nygard, "Release It!", 2007) for one origin, from the results of all clients or of one client.
/// Time and chance are passed in.
///
/// 500 and the gateway statuses count; 501 and 505 do not, because they concern the request. An error with a
/// lifetime of its own does not count either, because the origin meant it. `Retry-After` holds back its own
/// URL only (`NegativePolicy`): servers send it for one slow renderer, or one picture in the making.
///
/// A rest is half fixed and half random ("equal jitter"; Exponential Backoff and Jitter, AWS Architecture Blog), so that daemons do
/// not return to a recovering server all at once. Each rest is twice the one before, for refreshes behind stale answers, because they
/// can wait. A request that would otherwise get nothing becomes a probe as soon as the first rest has passed since the last probe. So
/// a recovered origin serves new pictures at once, and a dead one gets one request per first rest.
struct OriginHealth: Sendable {
    enum State: Sendable, Equatable {
        /// Every request may ask. Leads to `resting`.
        case closed
        /// No request asks before `until`, in microseconds; a request that gets nothing otherwise may ask from `wanted` on. The first
        /// request after its time is the probe. Leads to `probing`.
        case resting(wanted: Int64, until: Int64)
        /// The request with this number is the probe. Its result leads to `closed` or `resting`. From `wanted` on another request may
        /// become the probe, because a hanging request shows nothing.
        case probing(UInt64, wanted: Int64)
    }

    /// The origin's state for a request that comes now.
    enum Outlook: Sendable, Equatable {
        case well
        /// The rest is over, and no probe has set out yet.
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
        var signal: HealthSignal
        /// The client that asked; nil stands for all clients without an address.
        var client: ClientKey?
        /// The request's number; 0 if it set out before any failure.
        var number: UInt64
        /// The last number given to any request.
        var latest: UInt64
        /// Microseconds of the monotonic clock.
        var now: Int64
        /// A random number, 0..<1.
        var chance: Double
    }

    private(set) var state = State.closed
    /// Failures in a row, while the breaker is closed.
    private(set) var failures = 0
    /// Rests in a row without a success between them.
    private(set) var rests = 0
    /// Microseconds of the monotonic clock.
    private(set) var lastNews: Int64 = 0
    /// The failures in a row that count for one client, among those that its URLs can cause.
    private let share: Int
    /// Clients whose URLs must have failed in a row before `failed` signals lead to a rest.
    private let clients: Int
    /// The URLs that failed in this row, by hash.
    private var failedURLs: Set<Int> = []
    /// The number of counted failures by client.
    private var failuresOfClient: [ClientKey?: Int] = [:]
    /// The last number given out when the origin began to fail; requests with higher numbers set out afterwards.
    private var sickSince: UInt64 = 0

    /// - Parameters:
    ///   - share: the failures in a row that count for one client.
    ///   - clients: the number of clients whose URLs must have failed; 1 for the breaker of a single client.
    init(share: Int, clients: Int = 1) { (self.share, self.clients) = (share, clients) }

    /// Forgets everything.
    private mutating func beginAnew() { self = OriginHealth(share: share, clients: clients) }

    /// True if there is nothing to remember.
    var isWell: Bool { state == .closed && failures == 0 }

    /// True if the last news is too old to matter.
    func isForgotten(now: Int64, _ policy: HealthPolicy) -> Bool {
        switch state {
        case .closed: now - lastNews > policy.memory
        case .resting(_, let until): now - until > policy.memory
        case .probing: false
        }
    }

    /// - Parameter isWanted: true if the asker gets nothing without the origin.
    func outlook(now: Int64, isWanted: Bool) -> Outlook {
        switch state {
        case .closed: .well
        case .resting(let wanted, let until):
            now >= (isWanted ? wanted : until) ? .probeDue : rest(wanted, now)
        case .probing(_, let wanted): isWanted && now >= wanted ? .probeDue : rest(wanted, now)
        }
    }

    private func rest(_ until: Int64, _ now: Int64) -> Outlook {
        .resting(OriginRest(seconds: max(1, (until - now).secondsAhead)))
    }

    /// Decides whether the request with this number may ask.
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
        // An answer to a request that set out after the origin began to fail counts as a probe's, even if another request is the
        // probe by now.
        case _ where news.signal == .well && news.number > sickSince:
            beginAnew()
            return .recovered
        case .probing(news.number, _): return heardOfProbe(news, policy)
        case .resting, .probing: return nil
        }
    }

    private mutating func heardWhileClosed(_ news: News, _ policy: HealthPolicy) -> Change? {
        if isForgotten(now: news.now, policy) { beginAnew() }
        switch news.signal {
        case .none: return nil
        case .well:
            beginAnew()
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
        // Checked too, because two clients, or one, soon reach a low threshold with their shares.
        if case .failed = news.signal, failuresOfClient.count < clients { return nil }
        guard policy.failures > 0, failures >= policy.failures else { return nil }
        sickSince = news.latest
        return .rests(for: rest(news, policy))
    }

    private mutating func heardOfProbe(_ news: News, _ policy: HealthPolicy) -> Change? {
        switch news.signal {
        case .none, .well:
            state = .resting(wanted: news.now, until: news.now)
            return nil
        case .down, .failed: return .probeFailed(for: rest(news, policy))
        }
    }

    /// - Returns: the rest in microseconds.
    private mutating func rest(_ news: News, _ policy: HealthPolicy) -> Int64 {
        // 2^30 first rests exceed every longest rest.
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
