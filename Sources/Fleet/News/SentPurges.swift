// SPDX-License-Identifier: Apache-2.0

/// Purges of this node that Redis has taken lately, by the names of their entries.
///
/// A master that is lost takes with it what no replica has got yet. A node that had read such an entry finds its position gone;
/// one that had not finds nothing wrong. So the node that has sent the purges looks for their entries on each new connection.
struct SentPurges: Sendable {
    struct Purge: Sendable {
        let id: StreamID
        let news: PurgeNews
        /// When Redis took it, in microseconds of the monotonic clock.
        let ticks: Int64
    }

    /// Microseconds for which one is remembered: longer than a replica is behind and another takes its master's place.
    static let span: Int64 = 600_000_000
    /// Those that are remembered, the last ones: as many questions are asked on a new connection.
    static let limit = 1_000
    /// Bytes of what they name.
    static let mostBytes = 1 << 20

    private var list: [Purge] = []
    private var bytes = 0
    /// The link's connections by the last whole look.
    private var connects = 0

    mutating func note(_ purge: Purge) {
        forget(before: purge.ticks - Self.span)
        list.append(purge)
        bytes += purge.news.size
        while let first = list.first, list.count > Self.limit || bytes > Self.mostBytes {
            bytes -= first.news.size
            list = Array(list.dropFirst())
        }
    }

    /// True if there are some to look for on this connection.
    func isDue(_ connects: Int) -> Bool { !list.isEmpty && connects != self.connects }

    /// Those to look for on this connection.
    mutating func due(_ connects: Int, at ticks: Int64) -> [Purge] {
        forget(before: ticks - Self.span)
        return connects == self.connects ? [] : list
    }

    /// Notes that all were looked for on this connection.
    mutating func noteLook(_ connects: Int) { self.connects = connects }

    mutating func remove(_ id: StreamID) { keep { $0.id != id } }

    private mutating func forget(before ticks: Int64) {
        if let first = list.first, first.ticks < ticks { keep { $0.ticks >= ticks } }
    }

    private mutating func keep(where isKept: (Purge) -> Bool) {
        list = list.filter(isKept)
        bytes = list.reduce(0) { $0 + $1.news.size }
    }
}
