// SPDX-License-Identifier: Apache-2.0
//
//   send ──▶ queued ──▶ the socket ──▶ sent ──▶ the reply resumes its caller
//   (async)     └── one thread: connects, writes, reads, keeps deadlines, connects again ──┘

internal import CLinux
package import Kernel
internal import Synchronization

/// A connection to Redis or Valkey that is opened again whenever it ends. Commands of all callers share it and are
/// pipelined: they are carried out in the order of `send`. A command that blocks (XREAD BLOCK) needs a link of its own.
///
/// Sentinels are asked for the master on each connect. `MOVED`, of a Cluster, leads to the node that it names; all keys
/// of one prefix lie in one slot, so one connection is enough.
///
/// **Isolation:** a `Mutex`; the socket belongs to the link's thread, which alone blocks.
package final class RedisLink: Sendable {
    private struct State {
        var commands = PendingCommands()
        var isUp = false
        var why = "not connected yet"
        var isClosing = false
        var isAwayReported = false
        /// Redis has carried out a command on this connection, or the connection has lasted for a while.
        var isProven = false
        /// Tries since a connection was proven.
        var failures = 0
        /// The node that `MOVED` has named since the last connect.
        var moved: RedisAddress?
        /// `MOVED` has named a node, to which the connection is not made yet.
        var isMoving = false
        var connects = 0
    }

    private let configuration: RedisConfiguration
    private let name: String
    private let report: @Sendable (RedisEvent) -> Void
    private let state = Mutex(State())
    private let wakeup: Wakeup
    private let connector: RedisConnector
    private let thread = Mutex<WorkerThread?>(nil)
    /// Moves of one command from node to node.
    private static let mostMoves = 3
    /// The time between two looks at deadlines, while the link goes on to another node.
    private static let look = Duration.milliseconds(2)

    /// - Parameters:
    ///   - name: the thread's, at most 15 bytes.
    ///   - report: gets events for operators, on the link's thread; must not block.
    /// - Throws: if no eventfd can be had.
    package init(
        _ configuration: RedisConfiguration, name: String,
        report: @escaping @Sendable (RedisEvent) -> Void
    ) throws(SystemError) {
        self.configuration = configuration
        self.name = name
        self.report = report
        wakeup = try Wakeup()
        connector = RedisConnector(configuration, wakeup)
    }

    /// Starts to connect.
    /// - Throws: if there is no thread.
    package func start() throws(SystemError) {
        let started = try WorkerThread(name) { self.run() }
        thread.withLock { $0 = started }
    }

    /// True while there is a connection on which Redis has answered, also while the link goes on to another node of a Cluster.
    package var isUp: Bool { state.withLock { $0.isUp || $0.isMoving } }

    /// Why there is no connection; the last reason while there is one.
    package var why: String { state.withLock { $0.why } }

    /// Connections that were made since the start.
    package var connects: Int { state.withLock { $0.connects } }

    /// Sends a command and waits for its reply. Blocks no thread. Callers that are cancelled wait all the same, no
    /// longer than `limit`.
    ///
    /// - Parameters:
    ///   - limit: the longest wait; nil for `commandTimeout`. The connection survives a command that is late by less
    ///     than `commandTimeout`.
    ///   - waits: true to wait for a connection, up to `limit`, which `connectTimeout` may exceed; else there is a failure at
    ///     once where there is none. While the link goes on to another node of a Cluster, all wait, up to `limit`.
    /// - Throws: also for an error that Redis answers: `refused`.
    package func send(
        _ command: RedisCommand, within limit: Duration? = nil, waits: Bool = false
    ) async throws(RedisFailure) -> RedisReply {
        let usual = configuration.commandTimeout.wholeMicroseconds
        let wait = limit?.wholeMicroseconds ?? usual
        let deadline = pictor_monotonic_microseconds() + wait
        let result: Result<RedisReply, RedisFailure> = await withCheckedContinuation { continuation in
            let failure: RedisFailure? = state.withLock { state in
                if state.isClosing { return .closed }
                if !state.isUp, !state.isMoving, !waits { return .away(state.why) }
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

    /// Ends the connection and the thread; who waits gets `closed`. Blocks, for a second at most.
    package func close() {
        state.withLock { $0.isClosing = true }
        wakeup.signal()
        thread.withLock { $0.take() }?.join()
        // Without a thread nobody else does it.
        fail(.closed, all: true)
    }

    // MARK: The thread

    private var isClosing: Bool { state.withLock { $0.isClosing } }

    private func run() {
        let abort = RedisSocket.AbortCheck { [weak self] in self?.isClosing ?? true }
        var turn = 0
        while !isClosing {
            do throws(RedisFailure) {
                let moved = state.withLock { $0.moved.take() }
                let session = try connector.connect(to: moved, from: turn, abort)
                rise()
                try serve(session)
            } catch {
                if case .closed = error { break }
                let moves = state.withLock { $0.moved != nil }
                fall(error, isQuiet: moves)
                if moves { continue }
                turn += 1
                let failures = state.withLock { state in
                    defer { state.failures += 1 }
                    return state.failures
                }
                rest(after: failures)
            }
        }
        fail(.closed, all: true)
    }

    /// Rests between two tries: 100 ms, twice as long after each failure, up to the longest, half of it by chance
    /// ("equal jitter").
    private func rest(after failures: Int) {
        let longest = configuration.longestRest.wholeMicroseconds
        let most = min(longest, Int64(100_000) << Int64(min(failures, 20)))
        let end = pictor_monotonic_microseconds() + most / 2 + Int64.random(in: 0...max(0, most / 2))
        while !isClosing {
            let now = pictor_monotonic_microseconds()
            expire(at: now)
            guard now < end else { return }
            let next = state.withLock { $0.commands.firstQueuedDeadline } ?? end
            wakeup.wait(microseconds: min(next, end) - now)
        }
    }

    private func rise() {
        state.withLock { state in
            (state.isUp, state.isMoving, state.isProven) = (true, false, false)
            state.connects += 1
        }
    }

    /// A Redis may greet and then refuse everything, as a replica does: what greets is not back yet.
    private func prove(_ address: RedisAddress) {
        let isBack = state.withLock { state in
            guard !state.isProven else { return false }
            (state.isProven, state.failures) = (true, 0)
            return exchange(&state.isAwayReported, with: false)
        }
        if isBack { report(.back(address.words)) }
    }

    private func fall(_ failure: RedisFailure, isQuiet: Bool) {
        let isNew = state.withLock { state in
            (state.isUp, state.isMoving, state.why) = (false, isQuiet, failure.description)
            if isQuiet || state.isAwayReported || state.isClosing { return false }
            state.isAwayReported = true
            return true
        }
        // Commands that move were not carried out, and go out on the next connection.
        if isQuiet { return keepDeadlines() }
        fail(failure, all: false)
        if isNew { report(.away(failure.description)) }
    }

    /// Ends the waiting of those whose time is over while the thread connects to the next node, which may be dead.
    private func keepDeadlines() {
        Task { [weak self] in
            while let self, self.state.withLock({ $0.isMoving && !$0.isClosing }) {
                self.expire(at: pictor_monotonic_microseconds())
                try? await Task.sleep(for: Self.look)
            }
        }
    }

    /// Fails the sent commands, and the queued ones but for those that wait for a connection; with `all`, those as well.
    private func fail(_ failure: RedisFailure, all: Bool) {
        let (sent, queued) = state.withLock { $0.commands.remove(all: all) }
        let ofSent =
            switch failure {
            case .closed, .unreadable: failure
            default: RedisFailure.lost(failure.description)
            }
        for pending in sent { pending.continuation?.resume(returning: .failure(ofSent)) }
        for pending in queued {
            pending.continuation?.resume(
                returning: .failure(failure == .closed ? .closed : .away(failure.description)))
        }
    }

    private func expire(at now: Int64) {
        let late = state.withLock { $0.commands.expire(at: now) }
        for continuation in late { continuation?.resume(returning: .failure(.timedOut)) }
    }

    // MARK: Serving

    private func serve(_ session: RedisSession) throws(RedisFailure) {
        let end = pictor_monotonic_microseconds() + configuration.provingTime.wholeMicroseconds
        while true {
            guard !isClosing else { throw .closed }
            let now = pictor_monotonic_microseconds()
            expire(at: now)
            try session.send(state.withLock { $0.commands.send(at: now) })
            let next = state.withLock { state in
                min(state.commands.firstSentDeadline ?? .max, state.isProven ? .max : end, now + 60_000_000)
            }
            session.wait(wakeup: wakeup, microseconds: next - pictor_monotonic_microseconds())
            try session.send([])
            let replies = try session.receive()
            for reply in replies { try take(reply, session.address) }
            try mustBeAlive(session.address)
            if pictor_monotonic_microseconds() >= end { prove(session.address) }
        }
    }

    private func take(_ reply: RedisReply, _ address: RedisAddress) throws(RedisFailure) {
        var (isKnown, next): (Bool, RedisFailure?) = (true, nil)
        let pending: PendingCommand? = state.withLock { state in
            guard let pending = state.commands.popSent() else {
                isKnown = false
                return nil
            }
            guard case .error(let words) = reply else { return pending }
            let parts = words.split(separator: " ")
            switch parts.first {
            case "MOVED":
                // It was not carried out, so it may be sent again.
                guard parts.count == 3, pending.moves < Self.mostMoves,
                    let moved = RedisAddress(moved: parts[2], from: address)
                else { return pending }
                state.moved = moved
                state.commands.requeue(pending)
                next = .away("moved to \(moved.words)")
                return nil
            // A master that has become a replica, or that cannot be used; another connect may find a better one.
            case "READONLY", "MASTERDOWN", "LOADING", "CLUSTERDOWN":
                next = .away(RedisFailure.words(of: words))
            default: break
            }
            return pending
        }
        guard isKnown else { throw .lost("an answer to no command") }
        // Before the caller goes on, for whom Redis is back.
        if !reply.isError { prove(address) }
        pending?.continuation?.resume(returning: .success(reply))
        if let next { throw next }
    }

    private func mustBeAlive(_ address: RedisAddress) throws(RedisFailure) {
        let now = pictor_monotonic_microseconds()
        let isDead = state.withLock { $0.commands.isOverdue(at: now) }
        if isDead { throw .lost("\(address.words) does not answer") }
    }
}
