// SPDX-License-Identifier: Apache-2.0

/// Purges of this node that Redis has lately taken, with the IDs of their entries.
///
/// When a master is lost, so are the entries that no replica has received yet. A node that had read such an entry finds its
/// position gone, but a node that had not read it notices nothing. So the node that sent the purges looks for their entries on
/// each new connection.
struct SentPurges: Sendable {
    struct Purge: Sendable {
        let id: StreamID
        let news: PurgeNews
        /// When Redis took the purge, in microseconds of the monotonic clock.
        let ticks: Int64
    }

    /// Microseconds for which a purge is remembered: longer than a replica lags behind and takes to become the master.
    static let span: Int64 = 600_000_000
    /// The most purges that are remembered, the latest ones. Each costs one question on a new connection.
    static let limit = 1_000
    /// The most bytes of all their names together.
    static let mostBytes = 1 << 20

    private var list: [Purge] = []
    private var bytes = 0
    /// The number of the link's connection on which all purges were last looked for.
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

    /// True if there are purges to look for on this connection.
    func isDue(_ connects: Int) -> Bool { !list.isEmpty && connects != self.connects }

    /// The purges to look for on this connection.
    mutating func due(_ connects: Int, at ticks: Int64) -> [Purge] {
        forget(before: ticks - Self.span)
        return connects == self.connects ? [] : list
    }

    /// Notes that all purges were looked for on this connection.
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
