// SPDX-License-Identifier: Apache-2.0
//
//             failures beyond answers          the rest is over and somebody asks
//   closed ─────────────────────────▶ open ─────────────────────────────────────▶ probing
//     ▲                                ▲                                            │  │
//     │                                └──── the probe failed: twice as long ───────┘  │
//     └──────────── the probe was answered; one more failure opens it again ───────────┘

/// A circuit breaker (Nygard, "Release It!", 2007) before the shared store: if a store does not answer, a few requests wait until
/// their deadline; after that, no request waits until a single one has found that the store works again.
///
/// An answer cancels one failure and not all of them, because a store may answer at once for objects that it lacks and hang for
/// each object that it has.
///
/// Time, in microseconds of the monotonic clock, and chance are passed in.
struct StoreBreaker: Sendable {
    /// So many failures more than answers open the breaker. A single one is an accident of the network.
    static let threshold = 5
    /// Microseconds of the first and of the longest rest.
    static let rests: ClosedRange<Int64> = 1_000_000...30_000_000
    /// Microseconds after which a probe that has not come back is forgotten: longer than any request.
    static let probeLimit: Int64 = 60_000_000

    /// What a request has shown about the store.
    enum Sign: Sendable, Hashable {
        /// The store answered, even if only that there is no such object.
        case answered
        /// The store refuses, is late, or cannot be reached.
        case failed
        /// Nothing, because the request was given up or did not reach the store.
        case nothing
    }

    private enum State: Sendable {
        /// Requests go to the store. `failures` is the number of failures that no answer has cancelled, `rest` the length of the
        /// last rest; 0 if there was none.
        case closed(failures: Int, rest: Int64)
        case open(until: Int64, rest: Int64)
        case probing(since: Int64, rest: Int64)
    }

    private var state = State.closed(failures: 0, rest: 0)

    var isClosed: Bool { if case .closed = state { true } else { false } }

    /// Failures that no answer has cancelled; 0 unless the breaker is closed.
    var failures: Int { if case .closed(let failures, _) = state { failures } else { 0 } }

    /// Microseconds until a request may go to the store; 0 if one may now.
    func wait(at now: Int64) -> Int64 {
        switch state {
        case .closed: 0
        case .open(let until, _): max(0, until - now)
        case .probing(let since, _): max(0, since + Self.probeLimit - now)
        }
    }

    /// True if this request may go to the store; the caller must then call `left`.
    mutating func enter(at now: Int64) -> Bool {
        guard wait(at: now) == 0 else { return false }
        switch state {
        case .closed: break
        case .open(_, let rest), .probing(_, let rest): state = .probing(since: now, rest: rest)
        }
        return true
    }

    /// - Parameter chance: a random number in 0..<1, so that not all nodes come back at once.
    /// - Returns: true if this has opened or closed the breaker.
    mutating func left(_ sign: Sign, at now: Int64, chance: Double) -> Bool {
        let before = isClosed
        switch (state, sign) {
        case (.closed(let failures, let rest), .answered):
            state = failures > 1 ? .closed(failures: failures - 1, rest: rest) : .closed(failures: 0, rest: 0)
        case (.open(_, let rest), .answered), (.probing(_, let rest), .answered):
            state = .closed(failures: Self.threshold - 1, rest: rest)
        case (.closed(let failures, let rest), .failed):
            state = .closed(failures: failures + 1, rest: rest)
            if failures + 1 >= Self.threshold { open(at: now, chance: chance) }
        case (.probing, .failed): open(at: now, chance: chance)
        case (.probing(_, let rest), .nothing): state = .open(until: now, rest: rest)
        case (.open, _), (.closed, .nothing): break
        }
        return isClosed != before
    }

    /// Opens the breaker, for twice as long as the last time.
    mutating func open(at now: Int64, chance: Double) {
        let last: Int64 =
            switch state {
            case .closed(_, let rest), .probing(_, let rest): rest
            // The breaker is open already.
            case .open: -1
            }
        guard last >= 0 else { return }
        let rest = min(max(2 * last, Self.rests.lowerBound), Self.rests.upperBound)
        // Half of the rest is fixed, half is random.
        state = .open(
            until: now + rest / 2 + (Int64(exactly: (chance * Double(rest / 2)).rounded(.down)) ?? 0),
            rest: rest)
    }
}

/// The store failed, did not answer in time, or was not asked because it fails again and again.
struct StoreSilence: Error {}
