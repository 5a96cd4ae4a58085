// SPDX-License-Identifier: Apache-2.0

/// The commands under way on a link, in the order of `send`: queued until they are written to the socket, then sent until
/// their replies come.
struct PendingCommands {
    private var queued: [PendingCommand] = []
    private var sent: [PendingCommand] = []
    /// When commands were sent last, in microseconds of the monotonic clock; 0 before the first.
    private var lastSending: Int64 = 0

    var count: Int { queued.count + sent.count }

    mutating func append(_ command: PendingCommand) { queued.append(command) }

    /// Queues a command again that a node has answered with `MOVED`, and the commands sent after it, in front of all others.
    mutating func requeue(_ command: PendingCommand) {
        var again = [command] + sent.filter { $0.continuation != nil }
        for index in again.indices {
            again[index].moves += 1
            again[index].waits = true
        }
        queued.insert(contentsOf: again, at: 0)
        sent = []
    }

    /// Moves all queued commands to the sent ones, with `ASKING` in front of each that needs it.
    /// - Returns: the bytes to write to the socket.
    mutating func send(at now: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        for var pending in queued {
            if pending.isAsked {
                bytes += Self.askingCommand.bytes
                sent.append(Self.asking(before: pending, at: now))
            }
            bytes += pending.command.bytes
            pending.sent = now
            sent.append(pending)
        }
        if !queued.isEmpty { lastSending = now }
        queued = []
        return bytes
    }

    /// How long ago commands were sent last, in microseconds; nil while one of them awaits its reply.
    func quietTime(at now: Int64) -> Int64? { sent.isEmpty ? now - lastSending : nil }

    static let askingCommand: RedisCommand = ["ASKING"]

    /// `ASKING` has a reply of its own, for which nobody waits.
    private static func asking(before pending: PendingCommand, at now: Int64) -> PendingCommand {
        PendingCommand(
            command: askingCommand, continuation: nil, deadline: pending.deadline, patience: pending.patience,
            sent: now, waits: false, moves: RedisLinkState.mostMoves)
    }

    /// Takes out the command that the next reply answers; nil if none awaits a reply.
    mutating func popSent() -> PendingCommand? {
        // Cannot trap: `sent` is not empty.
        sent.isEmpty ? nil : sent.removeFirst()
    }

    /// Takes out all sent commands, and the queued ones except for those that wait for a connection.
    /// - Parameter all: true to take out the waiting ones, too.
    mutating func remove(all: Bool) -> (sent: [PendingCommand], queued: [PendingCommand]) {
        let removed = (sent: sent, queued: queued.filter { all || !$0.waits })
        sent = []
        queued = all ? [] : queued.filter(\.waits)
        return removed
    }

    // MARK: Deadlines

    /// The earliest deadline of a queued command.
    var firstQueuedDeadline: Int64? { queued.map(\.deadline).min() }

    /// The time at which the next caller of a sent command gives up, or the connection counts as dead.
    var firstSentDeadline: Int64? {
        sent.lazy.map { min($0.continuation == nil ? .max : $0.deadline, $0.sent + $0.patience) }.min()
    }

    /// True if a sent command has waited so long for its reply that the connection counts as dead.
    func isOverdue(at now: Int64) -> Bool { sent.contains { now - $0.sent >= $0.patience } }

    /// Drops the queued commands whose deadline has passed. Sent commands stay, without their callers, because their replies may
    /// still come.
    /// - Returns: the callers of the late queued and sent commands.
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
