// SPDX-License-Identifier: Apache-2.0

internal import HTTP1

/// A finite-state machine for one HTTP/1.1 connection, as in async-http-client: `on(event)` is the only place where the phase
/// changes, and returns what to do; the event loop does it. This type has no socket, clock or buffer.
///
///     accepted ─▶ (greeting ─▶) idle ─▶ head ─▶ body ─▶ answering ─▶ sending ─▶ idle, or lingering ─▶ free
///                                                                       │          ▲
///                                                                       └─▶ (holding ─▶) writing
///
/// A streamed answer alternates between `streaming` and `sending` or `writing`, once for each piece.
///
/// Each of these phases may be skipped on the way to `answering`. An answer that is ready does not leave `idle`: answers to pipelined
/// requests gather in the loop's outbox and are sent together, and what does not fit into the socket leads to `writing`. The last
/// answer, and the answer to a fault, lead to `sending`.
///
/// The requests of one connection are taken up one after the other: while an answer is awaited or does not fit into the socket,
/// nothing more is read. This one rule keeps pipelined answers in order and applies back-pressure.
///
/// From each phase, a broken socket and the end of a drain lead to `free`, but `lingering` reads to the end first. An event that
/// cannot happen in a phase (`canHappen`) is a mistake of the loop's, and ends the connection (`Ending.fault`).
struct ConnectionState {
    /// The number of connections that have used the slot; 0 only before the first. It identifies events and answers for an earlier
    /// connection.
    private(set) var generation: UInt32 = 0
    /// Requests that were taken up.
    private(set) var requests: UInt32 = 0
    private(set) var phase = Phase.free
    private(set) var flags: Flags = []

    /// The most bytes that are read and dropped after our side is closed, so that no reset destroys the last answer.
    static let lingerBytes = 1 << 20

    @inline(__always)
    mutating func on(_ event: Event) -> Action {
        guard canHappen(event) else { return phase == .free ? Action() : close(.fault) }
        return switch event {
        case .accepted(let expectsProxyHeader): accepted(expectsProxyHeader: expectsProxyHeader)
        case .ready(let readiness): ready(readiness)
        case .rescheduled: rescheduled()
        case .shortRead: shortRead()
        case .emptyRead: emptyRead()
        // The peer closed in the middle of a request, or between two: nobody expects an answer.
        case .endOfInput: close(.quiet)
        case .proxyHeader: enter(.idle)
        case .badProxyHeader: close(.withoutProxyHeader)
        case .partialHead: partialHead()
        case .answered(let isLast): answered(isLast: isLast)
        case .awaited(let isLast, let body): awaited(isLast: isLast, body)
        case .endOfBody: enter(.answering, .startTask, .stop)
        case .faulty(let error): refuse(error)
        case .discarded(let total): total > Self.lingerBytes ? close(.quiet) : Action()
        case .responded(let generation): responded(generation)
        case .streamed(let isEndless, let untilClose): streamed(isEndless: isEndless, untilClose: untilClose)
        case .piece(let generation): piece(generation)
        case .endOfStream(let generation): endOfStream(generation)
        case .delayed(let microseconds):
            enter(.holding, .parkRefusal, .start(.refusal(microseconds: microseconds)))
        case .blocked: enter(.writing, .park, .start(.progress))
        case .flushed: flushed()
        case .written: finished()
        case .sendFailed: close(.unsent)
        case .departed: close(.unanswered)
        case .expired(let hasProgress): expired(hasProgress: hasProgress)
        case .drain: drain()
        case .cut: close()
        }
    }

    /// True if the event can happen in this phase. A free slot accepts a new connection only.
    @inline(__always)
    private func canHappen(_ event: Event) -> Bool {
        if phase == .free { if case .accepted = event { return true } else { return false } }
        let isAtHead = phase == .idle || phase == .head
        return switch event {
        case .accepted: false
        case .ready(let readiness): phase != .sending || readiness.contains(.broken)
        case .rescheduled, .drain: phase != .sending
        case .shortRead, .emptyRead, .endOfInput: phase.isRead
        case .proxyHeader, .badProxyHeader: phase == .greeting
        case .partialHead, .answered, .awaited: isAtHead
        case .endOfBody: phase == .body
        case .faulty: isAtHead || phase == .body
        case .discarded: phase == .lingering
        case .streamed: phase == .sending
        case .delayed: phase == .idle || phase == .sending
        case .blocked: isAtHead || phase == .sending
        case .written: phase == .writing
        case .departed: phase == .answering
        // In `body`, only `100 Continue` is written.
        case .sendFailed: isAtHead || phase == .body || phase == .sending || phase == .writing
        case .expired: phase != .answering && phase != .streaming && phase != .sending
        // A task may answer after its client has left.
        case .responded, .piece, .endOfStream, .flushed, .cut: true
        }
    }

    /// The one place where the phase is set.
    private mutating func enter(_ next: Phase, _ step: Step = .none, _ timer: Timer = .keep) -> Action {
        phase = next
        return Action(step: step, timer: timer)
    }
}

// MARK: Coming and going

extension ConnectionState {
    private mutating func accepted(expectsProxyHeader: Bool) -> Action {
        generation = generation == .max ? 1 : generation + 1
        requests = 0
        flags = []
        return enter(expectsProxyHeader ? .greeting : .idle, .watch, .start(.head))
    }

    private mutating func close(_ ending: Ending) -> Action { enter(.free, .close(ending), .stop) }

    private mutating func close() -> Action {
        switch phase {
        case .free: Action()
        case .greeting, .idle, .head, .body, .lingering: close(.quiet)
        case .answering: close(.unanswered)
        case .holding: close(.delayed)
        case .streaming, .sending, .writing: close(.unsent)
        }
    }

    private mutating func drain() -> Action {
        flags.insert(.draining)
        switch phase {
        case .greeting, .idle:
            // A request that has arrived, or is on its way, was sent before the client could know of the drain, so it is answered.
            flags.insert(.readable)
            return Action(step: .read, timer: .start(.farewell))
        case .holding: return enter(.writing, .writeRefusal, .start(.progress))
        case .streaming: return flags.contains(.endless) ? endStream() : Action()
        case .free, .head, .body, .answering, .sending, .writing, .lingering: return Action()
        }
    }

    private mutating func expired(hasProgress: Bool) -> Action {
        switch phase {
        case .greeting: close(flags.contains(.draining) ? .quiet : .withoutProxyHeader)
        case .head: refuse(.headTimedOut)
        case .body: refuse(.bodyTimedOut)
        case .holding: enter(.writing, .writeRefusal, .start(.progress))
        case .writing where hasProgress: Action(step: .markProgress, timer: .start(.progress))
        case .writing: close(.stalled)
        case .idle, .lingering: close(.quiet)
        // These phases have no deadline (`canHappen`).
        case .free, .answering, .streaming, .sending: close(.fault)
        }
    }
}

// MARK: Reading

extension ConnectionState {
    private mutating func ready(_ readiness: Readiness) -> Action {
        if readiness.contains(.broken) {
            guard phase == .lingering else { return close() }
            // Both sides are shut. A close before everything is read would send a reset, which would destroy what the kernel still
            // holds of the last answer.
            flags.insert([.readable, .peerClosed])
        }
        if readiness.contains(.peerClosed) { flags.insert([.readable, .peerClosed]) }
        if readiness.contains(.readable) { flags.insert(.readable) }
        if phase.isRead { return Action(step: .read) }
        if phase == .writing { return Action(step: readiness.contains(.writable) ? .write : .none) }
        guard flags.contains(.peerClosed) else { return Action() }
        // A delayed refusal and a stream end here, because neither is worth a probe.
        return phase == .answering ? probe() : close()
    }

    private mutating func rescheduled() -> Action {
        if phase == .answering, flags.contains(.peerClosed) { return probe() }
        return Action(step: phase.isRead ? .read : phase == .writing ? .write : .none)
    }

    /// Probes once only, because a client that has left answers the first probe with a reset.
    private mutating func probe() -> Action {
        Action(step: flags.insert(.probed).inserted ? .probe : .none)
    }

    private mutating func shortRead() -> Action {
        // epoll will report later bytes, but will not report again that the peer has closed.
        if !flags.contains(.peerClosed) { flags.remove(.readable) }
        return Action()
    }

    private mutating func emptyRead() -> Action {
        flags.remove(.readable)
        return Action()
    }

    private mutating func partialHead() -> Action {
        // A head that trickles in does not extend its own deadline.
        if phase == .head { return Action() }
        // The first head's deadline began at accept, unless a drain has replaced it.
        return enter(.head, .none, requests > 0 || flags.contains(.draining) ? .start(.head) : .keep)
    }

    private mutating func answered(isLast: Bool) -> Action {
        note(isLast: isLast)
        return enter(isLast ? .sending : .idle)
    }

    private mutating func awaited(isLast: Bool, _ body: RequestBody) -> Action {
        note(isLast: isLast)
        return switch body {
        case .none: enter(.answering, .startTask, .stop)
        case .expected: enter(.body, .none, .start(.body))
        case .expectedAfterContinue: enter(.body, .sendContinue, .start(.body))
        }
    }

    private mutating func note(isLast: Bool) {
        requests &+= 1
        if isLast { flags.insert(.lastAnswer) }
    }

    private mutating func refuse(_ error: MessageError) -> Action {
        flags.insert(.lastAnswer)
        return enter(.sending, .refuse(error))
    }
}

// MARK: Answering and writing

extension ConnectionState {
    /// An answer that comes after its client has left is dropped, because its slot may have another connection by now.
    private mutating func responded(_ generation: UInt32) -> Action {
        guard phase == .answering, self.generation == generation else { return Action() }
        if flags.contains(.draining) { flags.insert(.lastAnswer) }
        return enter(.sending, .answer(isLast: flags.contains(.lastAnswer)))
    }

    private mutating func streamed(isEndless: Bool, untilClose: Bool) -> Action {
        flags.insert(.streamed)
        if isEndless { flags.insert(.endless) }
        if untilClose { flags.insert(.lastAnswer) }
        return Action()
    }

    /// A piece that comes after its client has left, or after a drain has ended the stream, is dropped.
    private mutating func piece(_ generation: UInt32) -> Action {
        guard phase == .streaming, self.generation == generation else { return Action() }
        return enter(.sending, .sendPiece)
    }

    private mutating func endOfStream(_ generation: UInt32) -> Action {
        guard phase == .streaming, self.generation == generation else { return Action() }
        return endStream()
    }

    private mutating func endStream() -> Action {
        flags.remove([.streamed, .endless])
        if flags.contains(.draining) { flags.insert(.lastAnswer) }
        return enter(.sending, .endStream)
    }

    private mutating func flushed() -> Action {
        if phase == .sending { return finished() }
        guard phase == .idle else { return Action() }
        // After a PROXY header alone the deadline of the first head runs on, and in a drain the farewell.
        let isBetween = requests > 0 && !flags.contains(.draining)
        return Action(step: .dropWork, timer: isBetween ? .start(.idle) : .keep)
    }

    /// The answers are sent, or as much of a streamed one as exists.
    private mutating func finished() -> Action {
        if flags.contains(.streamed) {
            let isOver = flags.isSuperset(of: [.draining, .endless])
            return isOver ? endStream() : enter(.streaming, .awaitPiece, .stop)
        }
        if flags.contains(.lastAnswer) { return enter(.lingering, .shutDown, .start(.linger)) }
        guard flags.contains(.draining) else { return enter(.idle, .takeUpInput, .start(.idle)) }
        // As in `drain`: requests on their way are still answered.
        flags.insert(.readable)
        return enter(.idle, .takeUpInput, .start(.farewell))
    }
}
