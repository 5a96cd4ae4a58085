// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Learned ratios of real to estimated time, as exponentially weighted means: one for jobs of one kind and size, and one for all jobs
/// of one kind, which applies to sizes that have not been seen.
///
/// **Isolation:** a `Mutex`.
final class JobTimes: Sendable {
    /// The weights of a new sample above and below the average. Rising is faster, so that easy pictures, or
    /// pictures made easy on purpose, do not hide the cost of a kind.
    private static let (rising, falling) = (0.25, 1.0 / 32)
    private static let factorsOfKinds = 0.25...16.0
    /// Reaches lower, because a JPEG of 12 megapixels reduced to a width of 150 takes a thirtieth of the estimate, which counts all
    /// its pixels.
    private static let factorsOfClasses = (1.0 / 32)...16.0
    /// Microseconds. A job whose estimate and measurement are both below this only shows the fixed cost of a job.
    private static let least: Int64 = 5_000
    /// Microseconds: a month, longer than any deadline.
    private static let longest = 2.6e12
    /// Classes that are remembered, some 100 bytes each. If one more comes, all classes are forgotten, but not their kinds.
    static let capacity = 4096

    private struct Factors {
        /// Has at most some hundreds of kinds: formats, levels and flags.
        var ofKind: [JobTime.Kind: Double] = [:]
        var ofClass: [JobTime.SizeClass: Double] = [:]

        func factor(of time: JobTime) -> Double { ofClass[time.sizeClass] ?? ofKind[time.kind] ?? 1 }
    }

    private let factors = Mutex(Factors())

    /// Classes that are remembered.
    var count: Int { factors.withLock(\.ofClass.count) }

    func microseconds(_ time: JobTime) -> Int64 { real(time.expected, of: time) }

    /// Microseconds by which a search for a quality may outlast `microseconds(_:)`. A factor below 1 may come from fast decoding
    /// alone, so it does not shorten the search.
    func longestSearch(_ time: JobTime) -> Int64 {
        max(time.longestSearch, real(time.longestSearch, of: time))
    }

    private func real(_ estimate: Int64, of time: JobTime) -> Int64 {
        let factor = factors.withLock { $0.factor(of: time) }
        // Cannot trap: at most a month, and no factor is below zero.
        return Int64(min(Double(estimate) * factor, Self.longest))
    }

    /// - Parameter taken: microseconds; of a job stopped at its deadline, the time until then.
    func learn(_ time: JobTime, taken: Int64) {
        guard max(time.expected, taken) >= Self.least else { return }
        let seen = Double(max(0, taken)) / Double(max(1, time.expected))
        factors.withLock { factors in
            let ofClass = Self.mean(factors.factor(of: time), seen, within: Self.factorsOfClasses)
            let ofKind = Self.mean(factors.ofKind[time.kind] ?? 1, seen, within: Self.factorsOfKinds)
            if factors.ofClass.count >= Self.capacity, factors.ofClass[time.sizeClass] == nil {
                factors.ofClass.removeAll(keepingCapacity: true)
            }
            factors.ofClass[time.sizeClass] = ofClass
            factors.ofKind[time.kind] = ofKind
        }
    }

    private static func mean(_ factor: Double, _ seen: Double, within range: ClosedRange<Double>) -> Double {
        let bounded = min(max(seen, range.lowerBound), range.upperBound)
        return factor + (bounded - factor) * (bounded > factor ? rising : falling)
    }
}
