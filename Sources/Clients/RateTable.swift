// SPDX-License-Identifier: Apache-2.0

/// Token buckets by client, in a table of fixed size, because clients may come from 2⁶⁴ networks.
///
/// A bucket is one number, the time at which it will be full again (the theoretical arrival time of the
/// Generic Cell Rate Algorithm). Each token taken moves that time by an interval. A full bucket equals an
/// absent one, so its place is free, and no sweep is needed.
///
///     set 0  │ key, full at │ key, full at │ … 8 ways │        24 bytes each
///     set 1  │ …
///
/// If all ways of a set hold buckets that are not full, the fullest is evicted: its client gets back the tokens that it had taken, at
/// most a bucket. To force that, a client must keep eight others of its set busier than itself, and a secret of the process
/// (`Hasher`) decides which clients share a set.
package struct RateTable: Sendable {
    private struct Bucket {
        var key = ClientKey(.v4(0), prefix: 0)
        /// Microseconds of the caller's clock.
        var fullAt = Int64.min
    }

    private static let ways = 8

    private let rate: Rate
    private let sets: Int
    private var buckets: [Bucket]

    /// - Parameter capacity: the least number of clients; all memory is allocated here.
    package init(_ rate: Rate, capacity: Int) {
        self.rate = rate
        sets = max(1, (capacity + Self.ways - 1) / Self.ways)
        // Cannot trap: the capacity is a constant of its owner.
        buckets = Array(repeating: Bucket(), count: sets * Self.ways)
    }

    /// Takes a token and returns 0; if there is none, returns the microseconds until there is one.
    package mutating func take(_ client: ClientKey, hash: Int, at now: Int64) -> Int64 {
        let place = place(of: client, hash: hash)
        let isHis = buckets[place].key == client
        let fullAt = max(isHis ? buckets[place].fullAt : now, now) + rate.interval
        guard fullAt - now <= rate.whole else { return fullAt - now - rate.whole }
        buckets[place] = Bucket(key: client, fullAt: fullAt)
        return 0
    }

    /// Returns a token that was not used.
    package mutating func giveBack(_ client: ClientKey, hash: Int) {
        guard let place = set(of: hash).first(where: { buckets[$0].key == client }) else { return }
        // An unused bucket's key may be equal to a real client's key, so the subtraction may overflow.
        let (fullAt, isEmpty) = buckets[place].fullAt.subtractingReportingOverflow(rate.interval)
        if !isEmpty { buckets[place].fullAt = fullAt }
    }

    /// Adopts what the fleet knows about a client's bucket.
    /// - Parameters:
    ///   - fullAt: microseconds of the caller's clock.
    ///   - isExact: false if the fleet does not know all tokens that were taken here, so that the bucket may only lose tokens.
    package mutating func learn(_ client: ClientKey, hash: Int, fullAt: Int64, isExact: Bool) {
        let place = place(of: client, hash: hash)
        let isHis = buckets[place].key == client
        let known = isHis && !isExact ? max(buckets[place].fullAt, fullAt) : fullAt
        buckets[place] = Bucket(key: client, fullAt: known)
    }

    /// The place of the client's own bucket, of a free one, or of the one to evict.
    private func place(of client: ClientKey, hash: Int) -> Int {
        var best = set(of: hash).lowerBound
        for index in set(of: hash) {
            if buckets[index].key == client { return index }
            if buckets[index].fullAt < buckets[best].fullAt { best = index }
        }
        return best
    }

    private func set(of hash: Int) -> Range<Int> {
        // Cannot trap: there is at least one set.
        let start = Int(UInt(bitPattern: hash) % UInt(sets)) * Self.ways
        return start..<start + Self.ways
    }
}
