// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

// Sends the outbox to the socket.

extension EventLoop {
    /// Sends the outbox. False if the socket did not take the whole, and the connection is now writing, or is gone.
    @discardableResult
    mutating func flush(_ slot: Int) -> Bool {
        guard !outbox.isEmpty else { return true }
        let result = outbox.send(to: connections[slot].descriptor)
        outbox.report(to: handler, aborted: result == .failed)
        switch result {
        case .done:
            outbox.reset()
            return true
        case .blocked, .yielded:
            if result == .yielded { unfinished.append((slot, connections[slot].state.generation)) }
            handle(slot, .blocked)
        case .failed:
            outbox.reset()
            handle(slot, .sendFailed)
        }
        return false
    }

    /// Sends what is in the outbox, and reports `flushed`, after which the connection may become idle.
    mutating func settle(_ slot: Int) {
        if flush(slot) { handle(slot, .flushed) }
    }

    mutating func park(_ slot: Int) {
        let work = work(of: slot)
        work.output = outbox.park()
        work.progress = work.output?.sent ?? 0
    }

    mutating func continueWriting(_ slot: Int) {
        guard let work = connections[slot].work, var output = work.output.take() else { return }
        let result = output.send(to: connections[slot].descriptor)
        output.report(to: handler, aborted: result == .failed)
        switch result {
        case .blocked: work.output = consume output
        case .yielded:
            work.output = consume output
            unfinished.append((slot, connections[slot].state.generation))
        case .failed: handle(slot, .sendFailed)
        case .done: handle(slot, .written)
        }
    }

    mutating func markProgress(_ slot: Int) {
        guard let work = connections[slot].work else { return }
        work.progress = work.output?.sent ?? 0
    }
}

// MARK: Refusals that wait

/// True if an answer asks its client to come again later (RFC 6585 §4, RFC 9110 §15.6.4).
func isRefusal(_ status: Int) -> Bool { status == 429 || status == 503 }

extension EventLoop {
    /// Delays the refusal in the outbox, with earlier answers of the same connection. False if it may be sent at once.
    mutating func delay(_ slot: Int) -> Bool {
        guard drainDeadline == nil,
            delayedRefusals < max(1, configuration.delayedConnections / max(1, configuration.loops))
        else { return false }
        let wait = refusalLimiter.hold(at: ticks)
        guard wait > 0 else { return false }
        handle(slot, .delayed(microseconds: wait))
        return true
    }

    mutating func parkRefusal(_ slot: Int) {
        delayedRefusals += 1
        state.heldRefusals.add(1, ordering: .relaxed)
        park(slot)
    }

    mutating func writeRefusal(_ slot: Int) {
        delayedRefusals -= 1
        markProgress(slot)
        continueWriting(slot)
    }
}
