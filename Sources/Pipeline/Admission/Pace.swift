// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics

/// At most so many beginnings in a second for each group: a token bucket, kept as the one number that tells when it
/// will be full again (the virtual scheduling of ITU-T I.371). A full bucket needs none, so a group that has been quiet
/// costs nothing.
///
/// A bucket holds a tenth of a second's worth, and at least one: a page's pictures begin together, and in no second
/// more than 1.1 times the rate begin, and one.
///
/// A group that asks for fewer requests (429) is slowed down for a while: to `Slow.first` a second, and to half of that each
/// time that another client's request is told so. One client may meet this again and again because of the URLs that it
/// chooses, and that must not stop all others.
struct Pace {
    /// How far a group is slowed down, and for how long.
    enum Slow {
        /// A second, as many as a page of pictures has.
        static let first = 16.0
        /// A second: one page still comes within seconds.
        static let least = 4.0
        /// Seconds, where the group does not say.
        static let usual = 10
        /// Seconds. A minute at the slow rate shows whether that is enough, even where a longer pause was asked for.
        static let longest = 60
        /// Groups at once, because anyone can name millions of hosts. Those whose time ends first go.
        static let capacity = 1024
        /// Microseconds. Answers to several clients within this time count once: their requests were under way together.
        static let together: Int64 = 1_000_000
    }

    private struct Slowed {
        var rate: Double
        var until: Int64
        var changed: Int64
        var client: ClientKey?
    }

    /// A second; 0: any number.
    private let rate: Double
    private var slowed: [String: Slowed] = [:]
    /// In microseconds; past: full.
    private var fullAt: [String: Double] = [:]
    /// Entries at which those of full buckets are thrown out.
    private var sweepAt = Self.smallestSweep

    private static let smallestSweep = 64
    /// One a day: a slower rate is none, and sums of longer intervals are no numbers of ticks.
    private static let leastRate = 1.0 / 86_400

    /// - Parameter rate: a second; 0: any number.
    init(rate: Double) { self.rate = rate > 0 ? max(rate, Self.leastRate) : 0 }

    /// A second; nil: any number.
    private func rate(of group: String, now: Int64) -> Double? {
        let usual = rate > 0 ? rate : nil
        guard let slow = slowed[group], slow.until > now else { return usual }
        return min(slow.rate, usual ?? slow.rate)
    }

    /// Microseconds at which the group's next may begin, where that is not now.
    func wait(_ group: String, now: Int64) -> Int64? {
        guard !group.isEmpty, let full = fullAt[group], let rate = rate(of: group, now: now) else {
            return nil
        }
        let slack = (max(1, rate / 10) - 1) * 1_000_000 / rate
        // Cannot trap: a time of this process and at most as many days as there are slots.
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

    /// That client's request was told that there are too many.
    /// - Parameter seconds: for how long, where that was said.
    mutating func slowDown(_ group: String, for seconds: Int?, by client: ClientKey?, now: Int64) {
        let until = now + Int64(min(max(seconds ?? Slow.usual, 1), Slow.longest)) * 1_000_000
        guard var slow = slowed[group], slow.until > now else {
            makeRoom(now)
            slowed[group] = Slowed(rate: Slow.first, until: until, changed: now, client: client)
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
        guard slowed.count >= Slow.capacity else { return }
        let limit = slowed.values.map(\.until).sorted()[Slow.capacity / 8]
        slowed = slowed.filter { $0.value.until > limit }
    }

    /// Groups whose bucket may not be full.
    var count: Int { fullAt.count }

    /// Groups that are slowed down.
    func slowedCount(now: Int64) -> Int { slowed.values.count { $0.until > now } }

    /// Seconds until that many of a group have begun, rounded up; 0: at once.
    func seconds(for count: Int, of group: String, now: Int64) -> Int {
        // Cannot trap: at most as many days as there is room in the queue.
        rate(of: group, now: now).map { Int((Double(count) / $0).rounded(.up)) } ?? 0
    }
}
