// SPDX-License-Identifier: Apache-2.0

internal import HTTP1

/// A finite-state machine for one HTTP/1.1 connection, as async-http-client has them: `on(event)` is the only
/// place where the phase changes, and says what to do; the event loop does it. There is no socket, clock or
/// buffer in here.
///
///     accepted ─▶ (greeting ─▶) idle ─▶ head ─▶ body ─▶ answering ─▶ sending ─▶ idle, or lingering ─▶ free
///                                                                       │          ▲
///                                                                       └─▶ (holding ─▶) writing
///
/// A streamed answer goes from `sending` or `writing` to `streaming` and back, once for each piece.
///
/// Any of these may be passed over on the way to `answering`. An answer that is at hand does not leave
/// `idle`: pipelined ones gather in the loop's outbox and are sent together, and what does not fit into the
/// socket leads to `writing`. The last answer and that to a fault lead to `sending`.
///
/// Requests of one connection are taken up one after the other: while an answer is awaited or does not fit into the
/// socket, nothing more is read from it. That is the order of pipelined answers and the back-pressure in one rule.
///
/// From each phase, a broken socket and the end of a drain lead to `free`, but `lingering` reads to the end first. An event that
/// cannot happen in a phase is a mistake of the loop's (`canHappen`); the connection then ends (`Ending.fault`).
struct ConnectionState {
    /// Counts the connections that used the slot; 0 before the first, and never again. Tells an event or an answer for
    /// an earlier one.
    private(set) var generation: UInt32 = 0
    /// Requests that were taken up.
    private(set) var requests: UInt32 = 0
    private(set) var phase = Phase.free
    private(set) var flags: Flags = []

    /// Bytes that are read and dropped after the server has closed its side, so that the last answer is not lost to a reset.
    static let lingerBytes = 1 << 20

    @inline(__always)
    mutating func on(_ event: Event) -> Action {
        guard canHappen(event) else { return phase == .free ? Action() : close(.fault) }
        return switch event {
        case .accepted(let expectsProxyHeader): accepted(expectsProxyHeader)
        case .ready(let readiness): ready(readiness)
        case .rescheduled: rescheduled()
        case .shortRead: shortRead()
        case .emptyRead: emptyRead()
        // In the middle of a request, or between two: there is nobody to answer.
        case .endOfInput: close(.quiet)
        case .proxyHeader: enter(.idle)
        case .badProxyHeader: close(.withoutProxyHeader)
        case .partialHead: partialHead()
        case .answered(let isLast): answered(isLast)
        case .awaited(let isLast, let body): awaited(isLast, body)
        case .endOfBody: enter(.answering, .startTask, .stop)
        case .faulty(let error): refuse(error)
        case .discarded(let total): total > Self.lingerBytes ? close(.quiet) : Action()
        case .responded(let generation): responded(generation)
        case .streamed(let isEndless, let untilClose): streamed(isEndless, untilClose)
        case .piece(let generation): piece(generation)
        case .endOfStream(let generation): endOfStream(generation)
        case .delayed(let microseconds):
            enter(.holding, .parkRefusal, .start(.refusal(microseconds: microseconds)))
        case .blocked: enter(.writing, .park, .start(.progress))
        case .flushed: flushed()
        case .written: finished()
        case .sendFailed: close(.unsent)
        case .departed: close(.unanswered)
        case .expired(let hasProgress): expired(hasProgress)
        case .drain: drain()
        case .cut: close()
        }
    }

    /// Whether the event can happen in this phase. Without a connection, only its beginning is heard of.
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
        // `100 Continue` is the only thing that is written in `body`.
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
    private mutating func accepted(_ expectsProxyHeader: Bool) -> Action {
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
            // A request that is here, or on its way, was sent before the client could know that we go: it is answered.
            flags.insert(.readable)
            return Action(step: .read, timer: .start(.farewell))
        case .holding: return enter(.writing, .writeRefusal, .start(.progress))
        case .streaming: return flags.contains(.endless) ? endStream() : Action()
        case .free, .head, .body, .answering, .sending, .writing, .lingering: return Action()
        }
    }

    private mutating func expired(_ hasProgress: Bool) -> Action {
        switch phase {
        case .greeting: close(flags.contains(.draining) ? .quiet : .withoutProxyHeader)
        case .head: refuse(.headTimedOut)
        case .body: refuse(.bodyTimedOut)
        case .holding: enter(.writing, .writeRefusal, .start(.progress))
        case .writing where hasProgress: Action(step: .markProgress, timer: .start(.progress))
        case .writing: close(.stalled)
        case .idle, .lingering: close(.quiet)
        // No deadline (`canHappen`).
        case .free, .answering, .streaming, .sending: close(.fault)
        }
    }
}

// MARK: Reading

extension ConnectionState {
    private mutating func ready(_ readiness: Readiness) -> Action {
        if readiness.contains(.broken) {
            guard phase == .lingering else { return close() }
            // Both sides are shut. A close before all that came is read would be a reset, and cost what the kernel still has of
            // the last answer.
            flags.insert([.readable, .peerClosed])
        }
        if readiness.contains(.peerClosed) { flags.insert([.readable, .peerClosed]) }
        if readiness.contains(.readable) { flags.insert(.readable) }
        if phase.isRead { return Action(step: .read) }
        if phase == .writing { return Action(step: readiness.contains(.writable) ? .write : .none) }
        guard flags.contains(.peerClosed) else { return Action() }
        // A delayed refusal and a stream are given up: neither is worth a probe.
        return phase == .answering ? probe() : close()
    }

    private mutating func rescheduled() -> Action {
        if phase == .answering, flags.contains(.peerClosed) { return probe() }
        return Action(step: phase.isRead ? .read : phase == .writing ? .write : .none)
    }

    /// Once: to a client that has left, the first one brings the reset.
    private mutating func probe() -> Action {
        Action(step: flags.insert(.probed).inserted ? .probe : .none)
    }

    private mutating func shortRead() -> Action {
        // epoll will tell of what comes later; it will not tell again that the peer has closed.
        if !flags.contains(.peerClosed) { flags.remove(.readable) }
        return Action()
    }

    private mutating func emptyRead() -> Action {
        flags.remove(.readable)
        return Action()
    }

    private mutating func partialHead() -> Action {
        // A head that trickles in does not move its own deadline.
        if phase == .head { return Action() }
        // The first head's deadline began at accept, unless a drain has taken its place.
        return enter(.head, .none, requests > 0 || flags.contains(.draining) ? .start(.head) : .keep)
    }

    private mutating func answered(_ isLast: Bool) -> Action {
        note(isLast)
        return enter(isLast ? .sending : .idle)
    }

    private mutating func awaited(_ isLast: Bool, _ body: RequestBody) -> Action {
        note(isLast)
        return switch body {
        case .none: enter(.answering, .startTask, .stop)
        case .expected: enter(.body, .none, .start(.body))
        case .expectedAfterContinue: enter(.body, .sendContinue, .start(.body))
        }
    }

    private mutating func note(_ isLast: Bool) {
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
    /// An answer that comes after the client is dropped; its slot may be another's by now.
    private mutating func responded(_ generation: UInt32) -> Action {
        guard phase == .answering, self.generation == generation else { return Action() }
        if flags.contains(.draining) { flags.insert(.lastAnswer) }
        return enter(.sending, .answer(isLast: flags.contains(.lastAnswer)))
    }

    private mutating func streamed(_ isEndless: Bool, _ untilClose: Bool) -> Action {
        flags.insert(.streamed)
        if isEndless { flags.insert(.endless) }
        if untilClose { flags.insert(.lastAnswer) }
        return Action()
    }

    /// A piece that comes after the client, or after the end that a drain made, is dropped.
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
        // After a proxy's header alone, the first head's deadline goes on; at a drain, its own.
        let isBetween = requests > 0 && !flags.contains(.draining)
        return Action(step: .dropWork, timer: isBetween ? .start(.idle) : .keep)
    }

    /// The answers are out, or as much of a streamed one as there is.
    private mutating func finished() -> Action {
        if flags.contains(.streamed) {
            let isOver = flags.isSuperset(of: [.draining, .endless])
            return isOver ? endStream() : enter(.streaming, .awaitPiece, .stop)
        }
        if flags.contains(.lastAnswer) { return enter(.lingering, .shutDown, .start(.linger)) }
        guard flags.contains(.draining) else { return enter(.idle, .takeUpInput, .start(.idle)) }
        // As with `drain`.
        flags.insert(.readable)
        return enter(.idle, .takeUpInput, .start(.farewell))
    }
}
