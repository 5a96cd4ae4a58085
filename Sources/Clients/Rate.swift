// SPDX-License-Identifier: Apache-2.0

/// So many at once, and after that as many in each period, evenly: a bucket of tokens. Each token comes back by itself
/// `interval` after the one before.
package struct Rate: Sendable, Hashable {
    /// At least 1.
    package let count: Int
    /// Microseconds.
    package let period: Int64

    /// Nil where a token would come back in less than a microsecond.
    package init?(count: Int, period: Int64) {
        guard count >= 1, period >= count else { return nil }
        self.count = count
        self.period = period
    }

    /// Microseconds from one token to the next.
    var interval: Int64 { period / Int64(count) }
    /// Microseconds in which an empty bucket becomes full.
    var whole: Int64 { interval * Int64(count) }
}
