// SPDX-License-Identifier: Apache-2.0
//
//   send ──▶ queued ──▶ the socket ──▶ sent ──▶ the reply resumes its caller
//   (async)     └── one thread: connects, writes, reads, keeps deadlines, connects again ──┘

internal import CLinux
package import Kernel
internal import Synchronization

/// A connection to Redis or Valkey that is opened again whenever it ends. All callers share it, and their commands are pipelined:
/// Redis carries them out in the order of `send`. A command that blocks (XREAD BLOCK) needs a link of its own.
///
/// Sentinels are asked for the master on each connect. In a Cluster, `MOVED` names the node to connect to; all keys of one prefix
/// lie in one slot, so one connection is enough. While the slot moves, `ASK` names the node that gets it, for one command: a second
/// link sends it there (`AskedNode`). After a connection that was idle and that Redis closes, the next one is made at once.
///
/// **Isolation:** a `Mutex` guards the state; the socket belongs to the link's thread, the only one that blocks.
package final class RedisLink: Sendable {
    struct State: Sendable {
        var commands = PendingCommands()
        var link: RedisLinkState
        var askingRefusal = AskingRefusal()
        /// The number of the connection that must end, and why; nil if it may stay.
        var leaving: (connection: Int, reason: String)?
        /// When the last command came that `ASK` has sent on, in microseconds of the monotonic clock; nil before the first.
        var lastUse: Int64?
        /// After so many microseconds without a command the link ends; nil if it stays.
        var idleTime: Int64?

        /// When the link ends because no command has come; nil while it has commands, or if it stays.
        var end: Int64? {
            guard commands.count == 0, let idleTime, let lastUse else { return nil }
            return lastUse + idleTime
        }

        /// Why the present connection must end; nil if it may stay. A former connection cannot be left any more.
        mutating func reasonToLeave() -> String? {
            guard let (connection, reason) = leaving.take() else { return nil }
            return connection == link.connects ? reason : nil
        }

        /// What to do about the end of a connection, or about one that could not be made.
        /// - Parameter chance: a random number in 0..<1.
        mutating func failed(
            _ failure: RedisFailure, at now: Int64, chance: Double
        ) -> RedisLinkState.Action {
            if case .ended = failure, let quiet = commands.quietTime(at: now),
                let action = link.ended(afterQuiet: quiet)
            {
                return action
            }
            return link.failed(failure, at: now, chance: chance)
        }

        /// True once the link has ended, or if it ends now because no command has come.
        mutating func isOver(at now: Int64) -> Bool {
            if let end, now >= end { link.close() }
            return link.isClosing
        }
    }

    let configuration: RedisConfiguration
    private let name: String
    let report: @Sendable (RedisEvent) -> Void
    let state: Mutex<State>
    let wakeup: Wakeup
    let connector: RedisConnector
    /// True for a link to the node that `ASK` has named.
    let isOfAsked: Bool
    let asked: AskedNode
    let thread = Mutex<WorkerThread?>(nil)

    /// - Parameters:
    ///   - name: the thread's name, at most 15 bytes.
    ///   - report: gets events for operators, on the link's thread; must not block.
    /// - Throws: if eventfd(2) fails.
    package convenience init(
        _ configuration: RedisConfiguration, name: String,
        report: @escaping @Sendable (RedisEvent) -> Void
    ) throws(SystemError) {
        try self.init(
            configuration, name: name, State(link: RedisLinkState(configuration)), report: report)
    }

    init(
        _ configuration: RedisConfiguration, name: String, _ state: State,
        report: @escaping @Sendable (RedisEvent) -> Void
    ) throws(SystemError) {
        self.configuration = configuration
        self.name = name
        self.report = report
        isOfAsked = state.idleTime != nil
        asked = AskedNode(configuration, name: name)
        self.state = Mutex(state)
        wakeup = try Wakeup()
        connector = RedisConnector(configuration, wakeup)
    }

    /// Starts to connect.
    /// - Throws: if the thread cannot be started.
    package func start() throws(SystemError) {
        let started = try WorkerThread(name) { self.run() }
        thread.withLock { $0 = started }
        if isOfAsked { keepDeadlines(during: RedisLinkState.firstMove) }
    }

    /// True while there is a connection on which Redis has answered the greeting, and while the link connects at once to another node
    /// of a Cluster or after an idle end.
    package var isUp: Bool { state.withLock { $0.link.isUp } }

    /// Why there is no connection; while there is one, the reason of the last failure.
    package var why: String { state.withLock { $0.link.why } }

    /// The number of connections made since the start.
    package var connects: Int { state.withLock { $0.link.connects } }

    /// Sends a command and waits for its reply. Blocks no thread. Cancelling the caller does not end the wait; `limit` does.
    ///
    /// - Parameters:
    ///   - limit: the longest wait; nil for `commandTimeout`. The connection counts as dead only after the longer of `limit` and
    ///     `commandTimeout`.
    ///   - waits: true to wait for a connection, for `limit` and about a second at most, even if `connectTimeout` is longer; false
    ///     to fail at once if there is no connection. While the link connects at once, every command waits,
    ///     for `limit` at most.
    /// - Throws: `refused` if Redis answers with an error; other failures if there is no reply.
    package func send(
        _ command: RedisCommand, within limit: Duration? = nil, waits: Bool = false
    ) async throws(RedisFailure) -> RedisReply {
        let usual = configuration.commandTimeout.wholeMicroseconds
        let wait = limit?.wholeMicroseconds ?? usual
        let deadline = pictor_monotonic_microseconds() + wait
        let result: Result<RedisReply, RedisFailure> = await withCheckedContinuation { continuation in
            let failure: RedisFailure? = state.withLock { state in
                if let refusal = state.link.refusal(waits: waits) { return refusal }
                guard state.commands.count < configuration.queue else { return .full }
                state.commands.append(
                    PendingCommand(
                        command: command, continuation: continuation, deadline: deadline,
                        patience: max(wait, usual), waits: waits))
                return nil
            }
            if let failure { continuation.resume(returning: .failure(failure)) } else { wakeup.signal() }
        }
        let reply = try result.get()
        if case .error(let words) = reply { throw .refused(RedisFailure.words(of: words)) }
        return reply
    }

    /// Ends this connection, because Redis is of no use there, and connects to the next address; does nothing if it has ended
    /// already. Does not wait.
    /// - Parameter connection: its number, the value of `connects` while it lasts.
    package func leave(_ connection: Int, because reason: String) {
        state.withLock { $0.leaving = (connection, reason) }
        wakeup.signal()
    }

    /// Ends the connection and the thread, and those to a node that `ASK` has named; waiting callers get `closed`. Blocks for a second
    /// at most for each.
    package func close() {
        state.withLock { $0.link.close() }
        wakeup.signal()
        thread.withLock { $0.take() }?.join()
        asked.close()
        // If there is no thread, nothing else fails the waiting commands.
        fail(.closed, all: true)
    }
}
