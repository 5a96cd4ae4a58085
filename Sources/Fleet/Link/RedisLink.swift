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
/// link sends it there (`AskedNode`).
///
/// **Isolation:** a `Mutex` guards the state; the socket belongs to the link's thread, the only one that blocks.
package final class RedisLink: Sendable {
    struct State: Sendable {
        var commands = PendingCommands()
        var link: RedisLinkState
        /// Why the connection must end; nil if it may stay.
        var leaving: String?
        /// When the last command came that `ASK` has sent on, in microseconds of the monotonic clock; nil before the first.
        var lastUse: Int64?
        /// After so many microseconds without a command the link ends; nil if it stays.
        var idleTime: Int64?

        /// When the link ends because no command has come; nil while it has commands, or if it stays.
        var end: Int64? {
            guard commands.count == 0, let idleTime, let lastUse else { return nil }
            return lastUse + idleTime
        }

        /// True once the link has ended, or if it ends now because no command has come.
        mutating func isOver(at now: Int64) -> Bool {
            if let end, now >= end { link.close() }
            return link.isClosing
        }
    }

    let configuration: RedisConfiguration
    private let name: String
    private let report: @Sendable (RedisEvent) -> Void
    let state: Mutex<State>
    let wakeup: Wakeup
    private let connector: RedisConnector
    /// True for a link to the node that `ASK` has named.
    private let isOfAsked: Bool
    private let asked: AskedNode
    let thread = Mutex<WorkerThread?>(nil)
    /// The interval at which deadlines are checked while the link connects to another node.
    private static let look = Duration.milliseconds(2)

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

    /// True while there is a connection on which Redis has answered the greeting, and while the link connects to another node of
    /// a Cluster.
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
    ///     to fail at once if there is no connection. While the link connects to another node of a Cluster, every command waits,
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

    /// Ends the connection, because Redis is of no use there, and connects to the next address. Does not wait.
    package func leave(because reason: String) {
        state.withLock { $0.leaving = reason }
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

    // MARK: The thread

    /// True once the link has ended, or if it ends now because no command has come.
    var isOver: Bool {
        let now = pictor_monotonic_microseconds()
        return state.withLock { $0.isOver(at: now) }
    }

    private func run() {
        let abort = RedisSocket.AbortCheck { [weak self] in self?.endsConnecting() ?? true }
        while !isOver {
            do throws(RedisFailure) {
                let (moved, turn) = state.withLock { $0.link.connecting() }
                let session = try connector.connect(to: moved, from: turn, abort)
                let now = pictor_monotonic_microseconds()
                state.withLock { state in
                    state.link.connected(at: now)
                    state.leaving = nil
                }
                try serve(session)
            } catch {
                if case .closed = error { break }
                fall(error)
            }
        }
        fail(.closed, all: true)
    }

    /// Fails late commands while the thread connects to a node that may be dead.
    /// - Returns: true if the link ends.
    private func endsConnecting() -> Bool {
        expire(at: pictor_monotonic_microseconds())
        return isOver
    }

    private func fall(_ failure: RedisFailure) {
        let (now, chance) = (pictor_monotonic_microseconds(), Double.random(in: 0..<1))
        switch state.withLock({ $0.link.failed(failure, at: now, chance: chance) }) {
        case .goOn(let move): keepDeadlines(during: move)
        case .rest(let end, let event):
            fail(failure, all: false)
            if let event { report(event) }
            rest(until: end)
        }
    }

    private func rest(until end: Int64) {
        while !isOver {
            let now = pictor_monotonic_microseconds()
            expire(at: now)
            guard now < end else { return }
            let next = state.withLock { $0.commands.firstQueuedDeadline } ?? end
            wakeup.wait(microseconds: min(next, end) - now)
        }
    }

    /// Fails late commands while the thread is busy connecting to the next node, sooner than `endsConnecting` does, because all
    /// commands wait for that node. Ends with this move, because the next one has a task of its own.
    private func keepDeadlines(during move: Int) {
        Task { [weak self] in
            while let self, self.state.withLock({ $0.link.isUnderWay(move) && !$0.link.isClosing }) {
                self.expire(at: pictor_monotonic_microseconds())
                try? await Task.sleep(for: Self.look)
            }
        }
    }

    /// Fails the sent commands, and the queued ones except for those that wait for a connection; with `all`, the waiting ones,
    /// too.
    private func fail(_ failure: RedisFailure, all: Bool) {
        let (sent, queued) = state.withLock { $0.commands.remove(all: all) }
        let ofSent =
            switch failure {
            case .closed, .unreadable: failure
            default: RedisFailure.lost(failure.description)
            }
        for pending in sent { pending.continuation?.resume(returning: .failure(ofSent)) }
        for pending in queued { pending.continuation?.resume(returning: .failure(unsent(failure))) }
    }

    /// The failure of a command that was not sent. Nobody reports that a node is away which `ASK` has named, so this failure is a
    /// refusal, which callers report.
    func unsent(_ failure: RedisFailure) -> RedisFailure {
        if failure == .closed { return .closed }
        return isOfAsked
            ? .refused("the node that ASK names cannot be used: \(failure.description)")
            : .away(failure.description)
    }

    private func expire(at now: Int64) {
        let late = state.withLock { $0.commands.expire(at: now) }
        for continuation in late { continuation?.resume(returning: .failure(.timedOut)) }
    }

    // MARK: Serving

    private func serve(_ session: RedisSession) throws(RedisFailure) {
        while true {
            guard !isOver else { throw .closed }
            if let reason = state.withLock({ $0.leaving.take() }) { throw .lost(reason) }
            let now = pictor_monotonic_microseconds()
            expire(at: now)
            try session.send(state.withLock { $0.commands.send(at: now) })
            let next = state.withLock { state in
                let ends = [state.commands.firstSentDeadline, state.link.proof, state.end]
                return ends.reduce(now + 60_000_000) { min($0, $1 ?? .max) }
            }
            session.wait(wakeup: wakeup, microseconds: next - pictor_monotonic_microseconds())
            try session.send([])
            let replies = try session.receive()
            for reply in replies { try take(reply, session.address) }
            try mustBeAlive(session.address)
            let later = pictor_monotonic_microseconds()
            if let event = state.withLock({ $0.link.lasted(with: session.address, at: later) }) {
                report(event)
            }
        }
    }

    private func take(_ reply: RedisReply, _ address: RedisAddress) throws(RedisFailure) {
        let taken: (PendingCommand, RedisLinkState.Meaning, RedisEvent?)? = state.withLock { state in
            guard let pending = state.commands.popSent() else { return nil }
            let meaning = RedisLinkState.meaning(of: reply, after: pending.moves, from: address)
            switch meaning {
            case .carriedOut: return (pending, meaning, state.link.answered(by: address))
            case .moved(let node):
                state.link.move(to: node)
                state.commands.requeue(pending)
            case .unfit: state.link.doubtGreetings()
            case .asked, .refused: break
            }
            return (pending, meaning, nil)
        }
        guard let (pending, meaning, event) = taken else {
            throw .lost("Redis sent a reply without a command")
        }
        if case .moved(let node) = meaning { throw .away("moved to \(node.words)") }
        if case .asked(let node) = meaning { return asked.take(over: pending, by: node) }
        // The event is reported first, so that no caller goes on before Redis counts as back.
        if let event { report(event) }
        pending.continuation?.resume(returning: .success(reply))
        if case .unfit(let words) = meaning { throw .away(words) }
    }

    private func mustBeAlive(_ address: RedisAddress) throws(RedisFailure) {
        let now = pictor_monotonic_microseconds()
        let isDead = state.withLock { $0.commands.isOverdue(at: now) }
        if isDead { throw .lost("\(address.words) does not answer") }
    }
}
