// SPDX-License-Identifier: Apache-2.0

/// The pauses between polls of the fleet for one key: each pause is 1.5 times the previous one, up to a bound.
struct PollingPauses: Sendable {
    /// Microseconds: the first pause, and the longest. A rendering takes some 50 ms, a fetch some 100 ms.
    private static let range: ClosedRange<Int64> = 10_000...50_000

    /// The next pause in microseconds.
    private(set) var next = PollingPauses.range.lowerBound

    /// Must be called after each pause.
    mutating func lengthen() { next = min(next * 3 / 2, Self.range.upperBound) }
}
