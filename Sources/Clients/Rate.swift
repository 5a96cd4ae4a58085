// SPDX-License-Identifier: Apache-2.0

/// A token bucket's rate: `count` tokens at once, and then `count` per `period`, evenly spaced. One token is added each `interval`.
package struct Rate: Sendable, Hashable {
    /// Tokens of a full bucket, at least 1.
    package let count: Int
    /// Microseconds in which an empty bucket fills up.
    package let period: Int64

    /// Nil if a token would be added in less than a microsecond.
    package init?(count: Int, period: Int64) {
        guard count >= 1, period >= count else { return nil }
        self.count = count
        self.period = period
    }

    /// Microseconds from one token to the next.
    package var interval: Int64 { period / Int64(count) }
    /// Microseconds in which an empty bucket fills up, a multiple of `interval`.
    package var whole: Int64 { interval * Int64(count) }
}
