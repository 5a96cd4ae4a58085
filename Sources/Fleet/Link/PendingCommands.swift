// SPDX-License-Identifier: Apache-2.0

/// The commands under way on a link, in the order of `send`: queued until they are written to the socket, then sent until
/// their replies come.
struct PendingCommands {
    private var queued: [PendingCommand] = []
    private var sent: [PendingCommand] = []

    var count: Int { queued.count + sent.count }

    mutating func append(_ command: PendingCommand) { queued.append(command) }

    /// Queues a command again that its node has answered with `MOVED`, and those that were sent behind it, in front of all others.
    mutating func requeue(_ command: PendingCommand) {
        var again = [command] + sent.filter { $0.continuation != nil }
        for index in again.indices {
            again[index].moves += 1
            again[index].waits = true
        }
        queued.insert(contentsOf: again, at: 0)
        sent = []
    }

    /// Counts all queued commands as sent.
    /// - Returns: the bytes to write.
    mutating func send(at now: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        for var pending in queued {
            bytes += pending.command.bytes
            pending.sent = now
            sent.append(pending)
        }
        queued = []
        return bytes
    }

    /// Takes out the command that the next reply answers; nil if none awaits a reply.
    mutating func popSent() -> PendingCommand? {
        // Cannot trap: it is not empty.
        sent.isEmpty ? nil : sent.removeFirst()
    }

    /// Takes out all sent commands, and the queued ones but for those that wait for a connection.
    /// - Parameter all: true to take out those as well.
    mutating func remove(all: Bool) -> (sent: [PendingCommand], queued: [PendingCommand]) {
        let removed = (sent: sent, queued: queued.filter { all || !$0.waits })
        sent = []
        queued = all ? [] : queued.filter(\.waits)
        return removed
    }

    // MARK: Deadlines

    /// The first deadline of a queued command.
    var firstQueuedDeadline: Int64? { queued.map(\.deadline).min() }

    /// The time at which the next sent command's caller gives up, or the connection counts as dead.
    var firstSentDeadline: Int64? {
        sent.lazy.map { min($0.continuation == nil ? .max : $0.deadline, $0.sent + $0.patience) }.min()
    }

    /// True if a sent command has waited so long for its reply that the connection counts as dead.
    func isOverdue(at now: Int64) -> Bool { sent.contains { now - $0.sent >= $0.patience } }

    /// Drops the queued commands whose deadline has passed. Sent ones stay without their caller, because their replies
    /// are still to come.
    /// - Returns: the callers of both.
    mutating func expire(at now: Int64) -> [PendingCommand.Continuation?] {
        let late = queued.filter { $0.deadline <= now }
        if !late.isEmpty { queued.removeAll { $0.deadline <= now } }
        var continuations = late.map(\.continuation)
        for index in sent.indices where sent[index].deadline <= now {
            continuations.append(sent[index].continuation)
            sent[index].continuation = nil
        }
        return continuations
    }
}
