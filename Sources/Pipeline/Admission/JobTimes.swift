// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// How far each kind of job has been from its expected time of late.
///
/// **Isolation:** a `Mutex`.
final class JobTimes: Sendable {
    /// A factor goes up by a quarter of the difference and down by a thirty-second: pictures that happen to be easy, or are
    /// made easy, must not hide the time that a kind can cost.
    private static let (rising, falling) = (0.25, 1.0 / 32)
    private static let factors = 0.25...16.0
    /// Microseconds. A job that took less, and was expected to, only shows the fixed cost of a job.
    private static let least: Int64 = 5_000
    /// A month of microseconds: longer than any deadline.
    private static let longest = 2.6e12

    /// Of formats, levels and flags there are some hundreds of combinations.
    private let factorOf = Mutex<[JobTime.Kind: Double]>([:])

    func microseconds(_ time: JobTime) -> Int64 {
        let factor = factorOf.withLock { $0[time.kind] } ?? 1
        // Cannot trap: at most a month, and no factor is less than a quarter.
        return Int64(min(Double(time.expected) * factor, Self.longest))
    }

    /// - Parameter taken: microseconds; at least so many where the job was stopped.
    func learn(_ time: JobTime, taken: Int64) {
        guard max(time.expected, taken) >= Self.least else { return }
        let seen = Double(max(0, taken)) / Double(max(1, time.expected))
        let bounded = min(max(seen, Self.factors.lowerBound), Self.factors.upperBound)
        factorOf.withLock { factors in
            let factor = factors[time.kind] ?? 1
            factors[time.kind] = factor + (bounded - factor) * (bounded > factor ? Self.rising : Self.falling)
        }
    }
}
