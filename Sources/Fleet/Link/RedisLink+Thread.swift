// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Kernel
internal import Synchronization

/// The work of the link's thread: it connects, serves the commands, and connects again.
extension RedisLink {
    /// The interval at which deadlines are checked while the link connects at once.
    private static let look = Duration.milliseconds(2)

    /// True once the link has ended, or if it ends now because no command has come.
    var isOver: Bool {
        let now = pictor_monotonic_microseconds()
        return state.withLock { $0.isOver(at: now) }
    }

    func run() {
        let abort = RedisSocket.AbortCheck { [weak self] in self?.endsConnecting() ?? true }
        while !isOver {
            do throws(RedisFailure) {
                let (moved, turn) = state.withLock { $0.link.connecting() }
                let session = try connector.connect(to: moved, from: turn, abort)
                let now = pictor_monotonic_microseconds()
                state.withLock { $0.link.connected(at: now) }
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
        switch state.withLock({ $0.failed(failure, at: now, chance: chance) }) {
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
    func keepDeadlines(during move: Int) {
        Task { [weak self] in
            while let self, self.state.withLock({ $0.link.isUnderWay(move) && !$0.link.isClosing }) {
                self.expire(at: pictor_monotonic_microseconds())
                try? await Task.sleep(for: Self.look)
            }
        }
    }

    /// Fails the sent commands, and the queued ones except for those that wait for a connection; with `all`, the waiting ones,
    /// too.
    func fail(_ failure: RedisFailure, all: Bool) {
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
            if let reason = state.withLock({ $0.reasonToLeave() }) { throw .lost(reason) }
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

    private func take(_ sent: RedisReply, _ address: RedisAddress) throws(RedisFailure) {
        let taken: (PendingCommand, RedisReply, RedisLinkState.Meaning, RedisEvent?)? = state.withLock {
            state in
            guard let pending = state.commands.popSent() else { return nil }
            let reply = state.askingRefusal.explain(sent, to: pending)
            let meaning = RedisLinkState.meaning(of: reply, after: pending.moves, from: address)
            switch meaning {
            case .carriedOut: return (pending, reply, meaning, state.link.answered(by: address))
            case .moved(let node):
                state.link.move(to: node)
                state.commands.requeue(pending)
            case .unfit: state.link.doubtGreetings()
            case .asked, .refused: break
            }
            return (pending, reply, meaning, nil)
        }
        guard let (pending, reply, meaning, event) = taken else {
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
