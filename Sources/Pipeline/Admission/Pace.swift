// SPDX-License-Identifier: Apache-2.0

/// At most so many beginnings in a second for each group: a token bucket, kept as the one number that tells when it
/// will be full again (the virtual scheduling of ITU-T I.371). A full bucket needs none, so a group that has been quiet
/// costs nothing.
///
/// A bucket holds a tenth of a second's worth, and at least one: a page's pictures begin together, and in no second
/// more than 1.1 times the rate begin, and one.
struct Pace {
    /// Microseconds from one to the next.
    private let interval: Double
    /// Microseconds by which a bucket may be short of full and still give.
    private let slack: Double
    /// In microseconds; past: full.
    private var fullAt: [String: Double] = [:]
    /// Entries at which those of full buckets are thrown out.
    private var sweepAt = Self.smallestSweep

    private static let smallestSweep = 64
    /// A day in microseconds: a slower rate is none, and sums of longer intervals are no numbers of ticks.
    private static let longestInterval = 86_400_000_000.0

    /// - Parameter rate: a second; nil for one that limits nothing.
    init?(rate: Double) {
        guard rate > 0 else { return nil }
        interval = min(1_000_000 / rate, Self.longestInterval)
        slack = (max(1, rate / 10) - 1) * interval
    }

    /// Microseconds at which the group's next may begin, where that is not now.
    func wait(_ group: String, now: Int64) -> Int64? {
        guard !group.isEmpty, let full = fullAt[group] else { return nil }
        // Cannot trap: a time of this process and at most as many days as there are slots.
        let next = Int64((full - slack).rounded(.up))
        return next > now ? next : nil
    }

    mutating func begin(_ group: String, now: Int64) {
        guard !group.isEmpty else { return }
        fullAt[group] = max(fullAt[group] ?? 0, Double(now)) + interval
        guard fullAt.count >= sweepAt else { return }
        fullAt = fullAt.filter { $0.value > Double(now) }
        sweepAt = max(Self.smallestSweep, 2 * fullAt.count)
    }

    /// Groups whose bucket may not be full.
    var count: Int { fullAt.count }

    /// Seconds until that many of a group have begun, rounded up.
    // Cannot trap: at most as many days as there is room in the queue.
    func seconds(for count: Int) -> Int { Int((Double(count) * interval / 1_000_000).rounded(.up)) }
}
