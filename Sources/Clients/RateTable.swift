// SPDX-License-Identifier: Apache-2.0

/// Buckets of tokens by client, in a table that never grows, for strangers come from 2⁶⁴ networks.
///
/// A bucket is one number: when it will be full again if nothing more is taken out of it. Every token that is taken
/// moves that by an interval. A bucket that is full says nothing that an absent one does not, so its place is free,
/// and nothing has to be swept.
///
///     set 0  │ key, full at │ key, full at │ … 8 ways │        24 bytes each
///     set 1  │ …
///
/// Where all ways of a set hold buckets that are not full, the one that will be full first is forgotten: its client is
/// given back what it had taken, at most a bucket. Who wants to be forgotten so must keep eight others in the same set
/// busier than itself, and which set that is depends on a secret of the process (`Hasher`).
package struct RateTable: Sendable {
    private struct Bucket {
        var key = ClientKey(.v4(0), prefix: 0)
        /// Microseconds on the caller's clock.
        var fullAt = Int64.min
    }

    private static let ways = 8

    private let rate: Rate
    private let sets: Int
    private var buckets: [Bucket]

    /// - Parameter capacity: clients, at least; all of the memory is taken here.
    package init(_ rate: Rate, capacity: Int) {
        self.rate = rate
        sets = max(1, (capacity + Self.ways - 1) / Self.ways)
        // Cannot trap: the capacity is a constant of its owner.
        buckets = Array(repeating: Bucket(), count: sets * Self.ways)
    }

    /// Takes a token; returns 0, or the microseconds until there is one.
    package mutating func take(_ client: ClientKey, hash: Int, at now: Int64) -> Int64 {
        let place = place(of: client, hash: hash)
        let isHis = buckets[place].key == client
        let fullAt = max(isHis ? buckets[place].fullAt : now, now) + rate.interval
        guard fullAt - now <= rate.whole else { return fullAt - now - rate.whole }
        buckets[place] = Bucket(key: client, fullAt: fullAt)
        return 0
    }

    /// Puts a token back that was taken for nothing.
    package mutating func giveBack(_ client: ClientKey, hash: Int) {
        guard let place = set(of: hash).first(where: { buckets[$0].key == client }) else { return }
        // The key of a bucket that nobody has had is somebody's too.
        let (fullAt, isEmpty) = buckets[place].fullAt.subtractingReportingOverflow(rate.interval)
        if !isEmpty { buckets[place].fullAt = fullAt }
    }

    /// The client's own, else a free one, else the one that can be forgotten best.
    private func place(of client: ClientKey, hash: Int) -> Int {
        var best = set(of: hash).lowerBound
        for index in set(of: hash) {
            if buckets[index].key == client { return index }
            if buckets[index].fullAt < buckets[best].fullAt { best = index }
        }
        return best
    }

    private func set(of hash: Int) -> Range<Int> {
        // Cannot trap: there is one set at least.
        let start = Int(UInt(bitPattern: hash) % UInt(sets)) * Self.ways
        return start..<start + Self.ways
    }
}
