// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics

/// A token bucket for each group that limits its starts per second, stored as the time at which it will be
/// full again (the virtual scheduling of ITU-T I.371). A full bucket is not stored, so an idle group costs
/// nothing.
///
/// A bucket holds a tenth of a second's tokens, and at least one: a page's pictures start together, and no
/// second has more than 1.1 times the rate plus one.
///
/// A group that asks for fewer requests (429) is slowed down for a while: to `Slow.first` per second, and to
/// half of that each time another client's request gets a 429. A single client may provoke that again and
/// again by the URLs it chooses, which must not stop all others.
struct RateLimiter {
    /// How much a group is slowed down, and for how long.
    enum Slow {
        /// Starts per second at first: about the pictures of one page.
        static let first = 16.0
        /// Starts per second at least, so that a page still loads within seconds.
        static let least = 4.0
        /// Seconds, if the group's answer does not say how long.
        static let usual = 10
        /// Seconds. A minute at the slow rate shows whether it is enough, even if a longer pause was asked
        /// for.
        static let longest = 60
        /// Groups that are slowed down at once, because clients can name millions of hosts. The groups whose time ends first are
        /// dropped.
        static let capacity = 1024
        /// Microseconds. 429s to several clients within this time count once: their requests were under way
        /// together.
        static let together: Int64 = 1_000_000
    }

    private struct SlowedGroup {
        var rate: Double
        var until: Int64
        var changed: Int64
        var client: ClientKey?
    }

    /// Starts per second; 0 = any number.
    private var rate: Double
    private var slowed: [String: SlowedGroup] = [:]
    /// Microseconds of the clock at which a bucket will be full; past times mean full.
    private var fullAt: [String: Double] = [:]
    /// The number of entries at which full buckets are removed.
    private var sweepAt = Self.smallestSweep

    private static let smallestSweep = 64
    /// The smallest rate in starts per second: one a day. A smaller rate would overflow sums of intervals.
    private static let leastRate = 1.0 / 86_400

    /// - Parameter rate: starts per second; 0 = any number.
    init(rate: Double) { self.rate = Self.usable(rate) }

    /// Replaces the rate and fills all buckets, because their levels were calculated with the old rate. Slowed groups stay slowed.
    /// - Parameter rate: starts per second; 0 = any number.
    mutating func replaceRate(with rate: Double) {
        guard Self.usable(rate) != self.rate else { return }
        self.rate = Self.usable(rate)
        fullAt = [:]
    }

    private static func usable(_ rate: Double) -> Double { rate > 0 ? max(rate, leastRate) : 0 }

    /// Starts per second; nil = any number.
    private func rate(of group: String, now: Int64) -> Double? {
        let usual = rate > 0 ? rate : nil
        guard let slow = slowed[group], slow.until > now else { return usual }
        return min(slow.rate, usual ?? slow.rate)
    }

    /// Microseconds of the clock at which the group's next job may start; nil for now.
    func wait(_ group: String, now: Int64) -> Int64? {
        guard !group.isEmpty, let full = fullAt[group], let rate = rate(of: group, now: now) else {
            return nil
        }
        let slack = (max(1, rate / 10) - 1) * 1_000_000 / rate
        // Cannot trap: a time of this process plus at most as many days as there are waiting jobs.
        let next = Int64((full - slack).rounded(.up))
        return next > now ? next : nil
    }

    mutating func begin(_ group: String, now: Int64) {
        guard !group.isEmpty, let rate = rate(of: group, now: now) else { return }
        fullAt[group] = max(fullAt[group] ?? 0, Double(now)) + 1_000_000 / rate
        guard fullAt.count >= sweepAt else { return }
        fullAt = fullAt.filter { $0.value > Double(now) }
        sweepAt = max(Self.smallestSweep, 2 * fullAt.count)
    }

    /// Slows a group down, after a 429 to this client's request.
    /// - Parameter seconds: the pause that the group asked for; nil if it did not say.
    mutating func slowDown(_ group: String, for seconds: Int?, by client: ClientKey?, now: Int64) {
        let until = now + Int64(min(max(seconds ?? Slow.usual, 1), Slow.longest)) * 1_000_000
        guard var slow = slowed[group], slow.until > now else {
            makeRoom(now)
            slowed[group] = SlowedGroup(rate: Slow.first, until: until, changed: now, client: client)
            return
        }
        if slow.client != client, now - slow.changed >= Slow.together {
            (slow.rate, slow.changed, slow.client) = (max(Slow.least, slow.rate / 2), now, client)
        }
        slow.until = max(slow.until, until)
        slowed[group] = slow
    }

    private mutating func makeRoom(_ now: Int64) {
        guard slowed.count >= Slow.capacity else { return }
        slowed = slowed.filter { $0.value.until > now }
        if slowed.count >= Slow.capacity { slowed.forgetEighth(by: \.until) }
    }

    /// Groups whose bucket may not be full.
    var count: Int { fullAt.count }

    /// Groups that are slowed down.
    func slowedCount(now: Int64) -> Int { slowed.values.count { $0.until > now } }

    /// Seconds until `count` jobs of a group have started, rounded up; 0 for now.
    func seconds(for count: Int, of group: String, now: Int64) -> Int {
        // Cannot trap: at most one day for each place in the queue.
        rate(of: group, now: now).map { Int((Double(count) / $0).rounded(.up)) } ?? 0
    }
}
