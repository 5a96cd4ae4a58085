// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import HTTP1
internal import Kernel
internal import Synchronization

// The loop reports events to a connection's state, and carries out the steps that it returns.

extension EventLoop {
    /// Reports an event to the connection's state, and sets the deadline that it returns. The caller must carry out the step.
    @inline(__always)
    mutating func advance(_ slot: Int, _ event: ConnectionState.Event) -> ConnectionState.Step {
        let action = connections[slot].state.on(event)
        switch action.timer {
        case .keep: break
        case .stop: connections[slot].deadline = .max
        case .start(let timeout):
            setDeadline(slot, microseconds: configuration.microseconds(of: timeout))
        }
        return action.step
    }

    /// Reports an event to the connection's state, and carries out the step.
    @inline(__always)
    mutating func handle(_ slot: Int, _ event: ConnectionState.Event) {
        let step = advance(slot, event)
        // A short cut, because most events of a cached answer need no step.
        if case .none = step { return }
        perform(step, on: slot)
    }

    mutating func perform(_ step: ConnectionState.Step, on slot: Int) {
        switch step {
        case .none: break
        case .watch: watch(slot)
        case .read: read(slot)
        case .takeUpInput: takeUpInput(slot)
        case .dropWork: dropWork(slot)
        case .startTask: startTask(slot)
        case .sendContinue: sendContinue(slot)
        case .probe: probe(slot)
        // The caller has the answer or the piece, and carries out this step.
        case .answer, .sendPiece: break
        case .awaitPiece: awaitPiece(slot)
        case .endStream: endStream(slot)
        case .refuse(let error): refuse(slot, error)
        case .park: park(slot)
        case .parkRefusal: parkRefusal(slot)
        case .write: continueWriting(slot)
        case .writeRefusal: writeRefusal(slot)
        case .markProgress: markProgress(slot)
        case .shutDown: shutDown(slot)
        case .close(let ending): end(slot, ending)
        }
    }

    /// Registers the socket with epoll, edge-triggered, once for all events.
    private mutating func watch(_ slot: Int) {
        let events = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        watch(
            connections[slot].descriptor, slot: slot, generation: connections[slot].state.generation,
            events: events)
    }

    private mutating func dropWork(_ slot: Int) {
        if let work = connections[slot].work, work.isEmpty { connections[slot].work = nil }
    }

    mutating func work(of slot: Int) -> Work {
        if let work = connections[slot].work { return work }
        let work = Work()
        connections[slot].work = work
        return work
    }
}

// MARK: The end

extension EventLoop {
    /// RFC 9112 §9.6: closes our side, and reads on until the peer has closed its own: a close with unread input
    /// would be a reset, which can overtake the answer.
    private mutating func shutDown(_ slot: Int) {
        connections[slot].work = nil
        shutdown(connections[slot].descriptor, Int32(SHUT_WR))
        read(slot)
    }

    /// Closes the connection, frees its slot, and reports what was not completed.
    private mutating func end(_ slot: Int, _ ending: ConnectionState.Ending) {
        switch ending {
        case .quiet, .unsent: break
        case .withoutProxyHeader: state.withoutProxyHeader.add(1, ordering: .relaxed)
        case .unanswered: abandonTask(slot)
        case .delayed: delayedRefusals -= 1
        case .stalled:
            state.timedOut.add(1, ordering: .relaxed)
            resetOnClose(slot)
        case .fault: assertionFailure("an event that cannot happen in the connection's phase")
        }
        connections[slot].work?.output?.report(to: handler, aborted: true)
        abandonStream(slot)
        close(connections[slot].descriptor)
        if connections[slot].isCounted { leaveCensus(connections[slot].peer) }
        wheel.cancel(slot)
        connections.remove(slot)
        state.open.subtract(1, ordering: .relaxed)
    }

    /// Cancels the task, because the client has left before its answer was made.
    private mutating func abandonTask(_ slot: Int) {
        guard let work = connections[slot].work else { return }
        work.task?.cancel()
        guard let request = work.request else { return }
        outbox.finish(
            request,
            .init(
                status: ExchangeRecord.clientClosedRequest, tag: handler.tag(ofUnanswered: request),
                started: work.started))
        outbox.report(to: handler)
        outbox.reset()
    }

    /// Makes the close a reset, which frees what the kernel still holds for the client.
    private func resetOnClose(_ slot: Int) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            connections[slot].descriptor, SOL_SOCKET, SO_LINGER, &option,
            socklen_t(MemoryLayout<linger>.size))
    }
}

extension HTTPServerConfiguration {
    fileprivate func microseconds(of timeout: ConnectionState.Timeout) -> Int64 {
        switch timeout {
        case .head: Int64(headTimeout) * 1000
        case .body: Int64(bodyTimeout) * 1000
        case .idle: Int64(idleTimeout) * 1000
        case .farewell: Int64(farewellTimeout) * 1000
        case .progress: Int64(progressTimeout) * 1000
        case .linger: Int64(lingerTimeout) * 1000
        case .refusal(let microseconds): microseconds
        }
    }
}
