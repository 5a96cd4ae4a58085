// SPDX-License-Identifier: Apache-2.0
//
//             failures in a row                the rest is over and somebody asks
//   closed ─────────────────────────▶ open ─────────────────────────────────────▶ probing
//     ▲                                ▲                                            │  │
//     │                                └──── the probe failed: twice as long ───────┘  │
//     └───────────────────────────────────── the probe was answered ───────────────────┘

/// A circuit breaker (Nygard, "Release It!", 2007) before the shared store: a store that does not answer costs a few
/// requests their deadline, and then nobody anything until one request has found it well again.
///
/// Time, in microseconds of the monotonic clock, and chance are passed in.
struct StoreBreaker: Sendable {
    /// Failures in a row that open it. One is an accident of the network.
    static let threshold = 5
    /// Microseconds of the first rest, and of the longest.
    static let rests: ClosedRange<Int64> = 1_000_000...30_000_000
    /// Microseconds after which a probe that has not come back is forgotten: longer than any request.
    static let probeLimit: Int64 = 60_000_000

    private enum State: Sendable {
        /// With the failures so far in a row.
        case closed(failures: Int)
        case open(until: Int64, rest: Int64)
        case probing(since: Int64, rest: Int64)
    }

    private var state = State.closed(failures: 0)

    var isClosed: Bool { if case .closed = state { true } else { false } }

    /// Microseconds until somebody may ask; 0 if anybody may now.
    func wait(at now: Int64) -> Int64 {
        switch state {
        case .closed: 0
        case .open(let until, _): max(0, until - now)
        case .probing(let since, _): max(0, since + Self.probeLimit - now)
        }
    }

    /// True if this request may go to the store; `left` must follow.
    mutating func enter(at now: Int64) -> Bool {
        guard wait(at: now) == 0 else { return false }
        switch state {
        case .closed: break
        case .open(_, let rest), .probing(_, let rest): state = .probing(since: now, rest: rest)
        }
        return true
    }

    /// - Parameters:
    ///   - isGood: nil if the request tells nothing, as one that was given up.
    ///   - chance: 0..<1, so that nodes do not come back all at once.
    /// - Returns: true if this has opened or closed it.
    mutating func left(_ isGood: Bool?, at now: Int64, chance: Double) -> Bool {
        let before = isClosed
        switch (state, isGood) {
        case (_, true?): state = .closed(failures: 0)
        case (.closed(let failures), false?):
            state =
                failures + 1 < Self.threshold
                ? .closed(failures: failures + 1) : opened(for: Self.rests.lowerBound, at: now, chance)
        case (.probing(_, let rest), false?):
            state = opened(for: min(2 * rest, Self.rests.upperBound), at: now, chance)
        case (.probing(_, let rest), nil): state = .open(until: now, rest: rest)
        case (.open, _), (.closed, nil): break
        }
        return isClosed != before
    }

    private func opened(for rest: Int64, at now: Int64, _ chance: Double) -> State {
        // Half of it fixed, half random.
        .open(
            until: now + rest / 2 + (Int64(exactly: (chance * Double(rest / 2)).rounded(.down)) ?? 0),
            rest: rest)
    }
}
