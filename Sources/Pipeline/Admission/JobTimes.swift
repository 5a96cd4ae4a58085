// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Learned factors of real to estimated time, by kind of job (an exponential moving average).
///
/// **Isolation:** a `Mutex`.
final class JobTimes: Sendable {
    /// The weights of a new sample above and below the average. Rising is faster, so that easy pictures, or
    /// pictures made easy on purpose, do not hide the cost of a kind.
    private static let (rising, falling) = (0.25, 1.0 / 32)
    private static let factors = 0.25...16.0
    /// Microseconds. A job estimated and measured below this only shows the fixed cost of a job.
    private static let least: Int64 = 5_000
    /// Microseconds: a month, longer than any deadline.
    private static let longest = 2.6e12

    /// Has at most some hundreds of kinds: formats, levels and flags.
    private let factorOf = Mutex<[JobTime.Kind: Double]>([:])

    func microseconds(_ time: JobTime) -> Int64 {
        let factor = factorOf.withLock { $0[time.kind] } ?? 1
        // Cannot trap: at most a month, and no factor is less than a quarter.
        return Int64(min(Double(time.expected) * factor, Self.longest))
    }

    /// - Parameter taken: microseconds; of a job stopped at its deadline, the time until then.
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
