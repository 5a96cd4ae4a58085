// SPDX-License-Identifier: Apache-2.0

/// Learns how long the store's answers take, and computes the time after which an answer is late: the mean plus four mean
/// deviations, as TCP computes when a segment counts as lost (RFC 6298 §2).
///
/// Only answers count. An answer that never came would only measure the deadline.
struct AnswerTimes: Sendable {
    /// The time in microseconds before the first answer is known: a nearby store needs 5 to 50 ms.
    static let initial: Int64 = 50_000
    /// No answer is late within so many microseconds beyond the mean, because a busy machine may take so long to notice an
    /// answer.
    static let granularity: Int64 = 20_000

    private var mean: Int64?
    private var deviation: Int64 = 0

    /// - Parameter sample: microseconds from the request to the last byte of a small object, or to the answer that there is none.
    mutating func learn(_ sample: Int64) {
        guard let mean else {
            (mean, deviation) = (sample, sample / 2)
            return
        }
        deviation += (Int64(clamping: (sample - mean).magnitude) - deviation) / 4
        self.mean = mean + (sample - mean) / 8
    }

    /// Microseconds after which an answer is late.
    var late: Int64 { mean.map { $0 + max(Self.granularity, 4 * deviation) } ?? Self.initial }
}
