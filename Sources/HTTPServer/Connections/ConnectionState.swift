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
/// From each phase, a broken socket and the end of a drain lead to `free`. An event that cannot happen in a phase is a
/// mistake of the loop's; the connection then ends (`Ending.fault`).
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
        switch event {
        case .accepted(let expectsProxyHeader): accepted(expectsProxyHeader)
        case .ready(let readiness): ready(readiness)
        case .rescheduled: rescheduled()
        case .shortRead: shortRead()
        case .emptyRead: emptyRead()
        case .endOfInput: endOfInput()
        case .proxyHeader: proxyHeader()
        case .badProxyHeader: badProxyHeader()
        case .partialHead: partialHead()
        case .answered(let isLast): answered(isLast)
        case .awaited(let isLast, let body): awaited(isLast, body)
        case .endOfBody: endOfBody()
        case .faulty(let error): faulty(error)
        case .discarded(let total): discarded(total)
        case .responded(let generation): responded(generation)
        case .streamed(let isEndless, let untilClose): streamed(isEndless, untilClose)
        case .piece(let generation): piece(generation)
        case .endOfStream(let generation): endOfStream(generation)
        case .delayed(let microseconds): delayed(microseconds)
        case .blocked: blocked()
        case .flushed: flushed()
        case .written: written()
        case .sendFailed: sendFailed()
        case .expired(let hasProgress): expired(hasProgress)
        case .drain: drain()
        case .cut: close()
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
        guard phase == .free else { return fault() }
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

    private mutating func fault() -> Action { close(.fault) }

    private mutating func drain() -> Action {
        guard phase != .free else { return Action() }
        flags.insert(.draining)
        switch phase {
        case .greeting, .idle:
            // A request that is here, or on its way, was sent before the client could know that we go: it is answered.
            flags.insert(.readable)
            return Action(step: .read, timer: .start(.farewell))
        case .holding: return enter(.writing, .writeRefusal, .start(.progress))
        case .streaming: return flags.contains(.endless) ? endStream() : Action()
        case .free, .head, .body, .answering, .writing, .lingering: return Action()
        case .sending: return fault()
        }
    }

    private mutating func expired(_ hasProgress: Bool) -> Action {
        switch phase {
        case .free: return Action()
        case .greeting: return close(flags.contains(.draining) ? .quiet : .withoutProxyHeader)
        case .idle, .lingering: return close(.quiet)
        case .head: return refuse(.headTimedOut)
        case .body: return refuse(.bodyTimedOut)
        case .holding: return enter(.writing, .writeRefusal, .start(.progress))
        case .writing:
            return hasProgress ? Action(step: .markProgress, timer: .start(.progress)) : close(.stalled)
        case .answering, .streaming, .sending: return fault()
        }
    }
}

// MARK: Reading

extension ConnectionState {
    private mutating func ready(_ readiness: Readiness) -> Action {
        if readiness.contains(.broken) { return close() }
        if readiness.contains(.peerClosed) { flags.insert([.readable, .peerClosed]) }
        if readiness.contains(.readable) { flags.insert(.readable) }
        switch phase {
        case .greeting, .idle, .head, .body, .lingering: return Action(step: .read)
        case .writing: return Action(step: readiness.contains(.writable) ? .write : .none)
        case .answering, .streaming, .holding:
            // It might read on with only its own side shut, but no client that waits for a picture does so.
            return flags.contains(.peerClosed) ? close() : Action()
        case .free: return Action()
        case .sending: return fault()
        }
    }

    private mutating func rescheduled() -> Action {
        switch phase {
        case .greeting, .idle, .head, .body, .lingering: Action(step: .read)
        case .writing: Action(step: .write)
        case .free, .answering, .streaming, .holding: Action()
        case .sending: fault()
        }
    }

    private mutating func shortRead() -> Action {
        switch phase {
        case .greeting, .idle, .head, .body, .lingering:
            // epoll will tell of what comes later; it will not tell again that the peer has closed.
            if !flags.contains(.peerClosed) { flags.remove(.readable) }
            return Action()
        case .free: return Action()
        case .answering, .streaming, .sending, .holding, .writing: return fault()
        }
    }

    private mutating func emptyRead() -> Action {
        flags.remove(.readable)
        switch phase {
        case .free, .greeting, .idle, .head, .body, .lingering: return Action()
        case .answering, .streaming, .sending, .holding, .writing: return fault()
        }
    }

    /// The end in the middle of a request, or between two: there is nobody to answer.
    private mutating func endOfInput() -> Action {
        switch phase {
        case .free: Action()
        case .greeting, .idle, .head, .body, .lingering: close(.quiet)
        case .answering, .streaming, .sending, .holding, .writing: fault()
        }
    }

    private mutating func proxyHeader() -> Action {
        switch phase {
        case .free: Action()
        case .greeting: enter(.idle)
        case .idle, .head, .body, .answering, .streaming, .sending, .holding, .writing, .lingering: fault()
        }
    }

    private mutating func badProxyHeader() -> Action {
        switch phase {
        case .free: Action()
        case .greeting: close(.withoutProxyHeader)
        case .idle, .head, .body, .answering, .streaming, .sending, .holding, .writing, .lingering: fault()
        }
    }

    private mutating func partialHead() -> Action {
        switch phase {
        // The first head's deadline began at accept, unless a drain has taken its place; a head that trickles in does not
        // move its own.
        case .idle: enter(.head, .none, requests > 0 || flags.contains(.draining) ? .start(.head) : .keep)
        case .free, .head: Action()
        case .greeting, .body, .answering, .streaming, .sending, .holding, .writing, .lingering: fault()
        }
    }

    private mutating func answered(_ isLast: Bool) -> Action {
        switch phase {
        case .idle, .head:
            note(isLast)
            return enter(isLast ? .sending : .idle)
        case .free: return Action()
        case .greeting, .body, .answering, .streaming, .sending, .holding, .writing, .lingering:
            return fault()
        }
    }

    private mutating func awaited(_ isLast: Bool, _ body: RequestBody) -> Action {
        switch phase {
        case .idle, .head:
            note(isLast)
            return switch body {
            case .none: enter(.answering, .startTask, .stop)
            case .expected: enter(.body, .none, .start(.body))
            case .expectedAfterContinue: enter(.body, .sendContinue, .start(.body))
            }
        case .free: return Action()
        case .greeting, .body, .answering, .streaming, .sending, .holding, .writing, .lingering:
            return fault()
        }
    }

    private mutating func note(_ isLast: Bool) {
        requests &+= 1
        if isLast { flags.insert(.lastAnswer) }
    }

    private mutating func endOfBody() -> Action {
        switch phase {
        case .free: Action()
        case .body: enter(.answering, .startTask, .stop)
        case .greeting, .idle, .head, .answering, .streaming, .sending, .holding, .writing, .lingering:
            fault()
        }
    }

    private mutating func faulty(_ error: MessageError) -> Action {
        switch phase {
        case .free: Action()
        case .idle, .head, .body: refuse(error)
        case .greeting, .answering, .streaming, .sending, .holding, .writing, .lingering: fault()
        }
    }

    private mutating func refuse(_ error: MessageError) -> Action {
        flags.insert(.lastAnswer)
        return enter(.sending, .refuse(error))
    }

    private mutating func discarded(_ total: Int) -> Action {
        switch phase {
        case .free: Action()
        case .lingering: total > Self.lingerBytes ? close(.quiet) : Action()
        case .greeting, .idle, .head, .body, .answering, .streaming, .sending, .holding, .writing: fault()
        }
    }
}

// MARK: Answering and writing

extension ConnectionState {
    private mutating func responded(_ generation: UInt32) -> Action {
        switch phase {
        case .answering:
            // The client has left, and its slot is another's by now.
            guard self.generation == generation else { return Action() }
            if flags.contains(.draining) { flags.insert(.lastAnswer) }
            return enter(.sending, .answer(isLast: flags.contains(.lastAnswer)))
        // The client has left.
        case .free, .greeting, .idle, .head, .body, .streaming, .sending, .holding, .writing, .lingering:
            return Action()
        }
    }

    private mutating func streamed(_ isEndless: Bool, _ untilClose: Bool) -> Action {
        switch phase {
        case .sending:
            flags.insert(.streamed)
            if isEndless { flags.insert(.endless) }
            if untilClose { flags.insert(.lastAnswer) }
            return Action()
        case .free: return Action()
        case .greeting, .idle, .head, .body, .answering, .streaming, .holding, .writing, .lingering:
            return fault()
        }
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

    private mutating func delayed(_ microseconds: Int64) -> Action {
        switch phase {
        case .idle, .sending:
            enter(.holding, .parkRefusal, .start(.refusal(microseconds: microseconds)))
        case .free: Action()
        case .greeting, .head, .body, .answering, .streaming, .holding, .writing, .lingering: fault()
        }
    }

    private mutating func blocked() -> Action {
        switch phase {
        case .idle, .head, .sending: enter(.writing, .park, .start(.progress))
        case .free: Action()
        case .greeting, .body, .answering, .streaming, .holding, .writing, .lingering: fault()
        }
    }

    private mutating func flushed() -> Action {
        switch phase {
        case .idle:
            // After a proxy's header alone, the first head's deadline goes on; at a drain, its own.
            let isBetween = requests > 0 && !flags.contains(.draining)
            return Action(step: .dropWork, timer: isBetween ? .start(.idle) : .keep)
        case .sending: return finished()
        case .free, .greeting, .head, .body, .answering, .streaming, .holding, .writing, .lingering:
            return Action()
        }
    }

    private mutating func written() -> Action {
        switch phase {
        case .writing: finished()
        case .free: Action()
        case .greeting, .idle, .head, .body, .answering, .streaming, .sending, .holding, .lingering: fault()
        }
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

    private mutating func sendFailed() -> Action {
        switch phase {
        case .free: Action()
        // `100 Continue` is the only thing that is written in `body`.
        case .idle, .head, .body, .sending, .writing: close(.unsent)
        case .greeting, .answering, .streaming, .holding, .lingering: fault()
        }
    }
}
