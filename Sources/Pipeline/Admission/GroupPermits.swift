// SPDX-License-Identifier: Apache-2.0

internal import Clients

/// Bulkheads (Nygard, "Release It!", 2007): limits the permits that jobs of one group hold at once, and the
/// rate at which they start (`RateLimiter`). One slow origin, or one encoder with threads of its own, leaves permits
/// to the others.
///
/// Jobs with an empty group are counted and never held back.
struct GroupPermits {
    private var most: Int
    private var limiter: RateLimiter
    private var runningByGroup = Tally<String>()

    /// - Parameters:
    ///   - most: permits of one group.
    ///   - rate: starts of one group in a second; 0 = any number.
    init(most: Int, rate: Double) {
        self.most = most
        limiter = RateLimiter(rate: rate)
    }

    /// Replaces the limits. Running jobs stay counted, even if a group has more of them than it may have now.
    mutating func replaceLimits(most: Int, rate: Double) {
        self.most = most
        limiter.replaceRate(with: rate)
    }

    func running(_ group: String) -> Int { runningByGroup[group] }

    func isFull(_ group: String, now: Int64) -> Bool {
        running(group) >= most || limiter.wait(group, now: now) != nil
    }

    /// True if a job of the group may start now.
    func admits(_ group: String, now: Int64) -> Bool { group.isEmpty || !isFull(group, now: now) }

    /// True if the rate may delay a job of some group now; false without a rate.
    var mayDelay: Bool { limiter.count > 0 }

    /// Microseconds of the clock at which the rate lets the group's next job start; nil for now.
    func nextBeginning(_ group: String, now: Int64) -> Int64? { limiter.wait(group, now: now) }

    /// Seconds until the rate has let `count` jobs of the group start, rounded up; 0 for now.
    func seconds(for count: Int, of group: String, now: Int64) -> Int {
        limiter.seconds(for: count, of: group, now: now)
    }

    mutating func take(_ group: String, now: Int64) {
        runningByGroup.add(group)
        limiter.begin(group, now: now)
    }

    mutating func giveBack(_ group: String) { runningByGroup.remove(group) }

    /// Slows a group down whose server asked for fewer requests; see `RateLimiter`.
    mutating func slowDown(_ group: String, for seconds: Int?, by client: ClientKey?, now: Int64) {
        limiter.slowDown(group, for: seconds, by: client, now: now)
    }

    /// Groups that are slowed down.
    func slowedCount(now: Int64) -> Int { limiter.slowedCount(now: now) }
}
