// SPDX-License-Identifier: Apache-2.0

/// How long the store's answers took of late, and the time after which one is late: the mean and four mean deviations,
/// as TCP reckons when a segment counts as lost (RFC 6298 §2).
///
/// Only answers count. One that never came tells how long the deadline is, and not how fast the store is.
struct AnswerTimes: Sendable {
    /// Microseconds before the first answer: a store nearby needs 5 to 50 ms.
    static let initial: Int64 = 50_000
    /// Microseconds beyond the mean before which nothing is late: the time that a busy machine may take to notice an answer.
    static let granularity: Int64 = 20_000

    private var mean: Int64?
    private var deviation: Int64 = 0

    /// - Parameter sample: microseconds from the question to the last byte of a small object, or to the word that there is
    ///   none.
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
