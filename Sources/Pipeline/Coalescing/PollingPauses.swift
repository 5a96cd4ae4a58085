// SPDX-License-Identifier: Apache-2.0

/// The pauses between questions to the fleet about one thing: each is half as long again as the one before, up to a bound.
struct PollingPauses: Sendable {
    /// Microseconds: the first, and the longest. A rendering takes some 50 ms, a fetch some 100 ms.
    private static let range: ClosedRange<Int64> = 10_000...50_000

    /// Microseconds.
    private(set) var next = PollingPauses.range.lowerBound

    /// To be called after each pause.
    mutating func lengthen() { next = min(next * 3 / 2, Self.range.upperBound) }
}
