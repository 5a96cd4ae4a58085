// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

// The deadlines of connections, in a timer wheel by slot.

extension EventLoop {
    /// Deadlines that are handled in one iteration. Refusing a late request costs some 30 µs: without a bound, 10,000 that are due
    /// together would keep all other requests waiting for a third of a second. An iteration itself costs 1 µs.
    private static let expiriesPerIteration = 2
    /// If room for bodies is scarce, a client must take its body within this many times `progressTimeout`: 2 min.
    private static let progressesOfBody = 4

    mutating func setDeadline(_ slot: Int, microseconds: Int64) {
        let deadline = ticks + Deadline.spread(microseconds: microseconds, slot: slot)
        connections[slot].deadline = deadline
        wheel.schedule(slot, at: tick(of: deadline))
    }

    /// The tick of a time, rounded up, so that no deadline passes early.
    private func tick(of time: Int64) -> Int {
        let step = Int64(configuration.tick) * 1000
        // Cannot trap: a tick has milliseconds.
        return Int((time - epoch + step - 1) / step)
    }

    mutating func keepDeadlines() {
        if let acceptAgain, ticks >= acceptAgain, drainDeadline == nil { startAccepting() }
        wheel.advance(to: Int((ticks - epoch) / (Int64(configuration.tick) * 1000)), into: &due)
        let count = min(due.count, Self.expiriesPerIteration)
        // Since the tick was set, the slot may have got another connection with a later deadline.
        for slot in due[..<count] where connections[slot].state.phase != .free {
            let deadline = connections[slot].deadline
            if deadline > ticks {
                if deadline != Int64.max { wheel.schedule(slot, at: tick(of: deadline)) }
            } else {
                expire(slot)
            }
        }
        // Cannot trap: at most the number of entries.
        due.removeFirst(count)
    }

    private mutating func expire(_ slot: Int) {
        let work = connections[slot].work
        let progress = (work?.output?.sent ?? 0) - (work?.progress ?? 0)
        // If room is scarce, a client must take a large body faster.
        let due = max(configuration.progressBytes, (work?.output?.crowdingBytes ?? 0) / Self.progressesOfBody)
        handle(slot, .expired(hasProgress: progress >= due))
        // The answer to a late request is in the outbox.
        if connections[slot].state.phase == .sending {
            state.timedOut.add(1, ordering: .relaxed)
            settle(slot)
        }
    }
}
