// SPDX-License-Identifier: Apache-2.0

/// Turns among the clients whose jobs wait, so that the many jobs of one client do not all come before the jobs of later clients:
///
///     waits   a a a a a a a a a a a a, then b      a's first turn has eight jobs, its second one four
///     begin   a a a a a a a a  b  a a a a          b comes into the turn that is under way
///
/// Within a turn the order of the queue decides. A turn has room for the six pictures that a browser asks for at a time. An expensive
/// job takes a whole turn.
///
/// A client keeps its place while any client's job waits. Otherwise a client that asks for one picture after the other, and so mostly
/// has no job waiting, would begin a new turn with each picture and come before the second turn of a client with several jobs.
struct ClientTurns {
    /// Jobs of one turn.
    static let length = 8
    /// Clients without a waiting job that are remembered. If there are more, all of them are forgotten, which gives each a new turn.
    private static let most = 1_024

    private struct Entry {
        var turn: Int
        /// Jobs that may still begin in this turn.
        var left = ClientTurns.length
        var waiting = 0
    }

    private var entries: [Asker: Entry] = [:]
    /// The turn of the job that began last, among all clients.
    private var current = 0
    /// Clients that have a job waiting.
    private var askers = 0

    /// False if no more than one client waits.
    var areTaken: Bool { askers > 1 }

    /// The number of the client's turn; the lowest comes first.
    func turn(of client: Asker) -> Int { entries[client]?.turn ?? current }

    /// True if a waiting job of `former` would begin earlier as a job of `client`.
    func isEarlier(_ client: Asker, than former: Asker) -> Bool {
        let (own, others) = (turn(of: client), turn(of: former))
        guard own == others else { return own < others }
        return (entries[client]?.waiting ?? 0) + 1 < entries[former]?.waiting ?? 0
    }

    mutating func join(_ client: Asker) {
        var entry = entries[client] ?? Entry(turn: current)
        if entry.waiting == 0 {
            askers += 1
            // The client does not get back turns that have passed while none of its jobs waited.
            if entry.turn < current { entry = Entry(turn: current) }
        }
        entry.waiting += 1
        entries[client] = entry
    }

    /// A job waits no more.
    mutating func leave(_ client: Asker) {
        guard var entry = entries[client], entry.waiting > 0 else { return }
        entry.waiting -= 1
        entries[client] = entry
        guard entry.waiting == 0 else { return }
        askers -= 1
        if askers == 0 {
            entries.removeAll(keepingCapacity: true)
            current = 0
        } else if entries.count - askers > Self.most {
            entries = entries.filter { $0.value.waiting > 0 }
        }
    }

    /// A job that waits is about to begin.
    mutating func begin(_ client: Asker, isExpensive: Bool) {
        guard var entry = entries[client] else { return }
        current = max(current, entry.turn)
        entry.left -= isExpensive ? Self.length : 1
        if entry.left <= 0 { (entry.turn, entry.left) = (current + 1, Self.length) }
        entries[client] = entry
    }

    /// How many of the waiting jobs come before the next job of this client, because clients take turns.
    /// - Parameter waiting: the number of jobs that would come before it without turns, by client.
    static func before(_ client: Asker, of waiting: [Asker: Int]) -> Int {
        let own = waiting[client] ?? 0
        // Cannot trap: a queue has far fewer jobs.
        let most = (own / length + 1) * length
        return waiting.values.reduce(0) { $0 + min($1, most) }
    }
}
