// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The work of the writing threads until the store is closed.
extension SharedStore {
    func write() {
        guard let writer = awaitWriter() else { return }
        while let change = next() {
            let failure = make(change, by: writer)
            let sign = failure?.sign ?? .answered
            // The number is only needed if the breaker may open.
            let chance = sign == .failed ? environment.chance() : 0
            let now = environment.ticks()
            let (hasChanged, othersMayGoOn) = state.withLock { state in
                state.queue.finish(change)
                state.leaving.subtract(change.leaving)
                if let failure, case .again = failure { state.queue.putBack(again(change)) }
                switch change.kind {
                case .put(let name, _, _, _): state.outcomes.note(name, isWritten: failure == nil)
                // A write that was offered before the deletion is undone, so it does not count as written.
                case .delete(let name): state.outcomes.note(name, isWritten: false)
                case .purge: break
                }
                let wasOpen = !state.breaker.isClosed
                let hasChanged = state.breaker.left(sign, at: now, chance: chance)
                // Other writers may be waiting for this change to end, or for the breaker. This thread itself takes the first
                // change that waits.
                let areHeldUp = wasOpen || hasChanged || state.queue.isAwaited(change)
                return (hasChanged, state.queue.count > 1 && areHeldUp || state.isClosing)
            }
            if othersMayGoOn { state.wakeAll() }
            tellSettled()
            if hasChanged { environment.report(.writes(failure?.words)) }
        }
    }

    /// Makes the thread's writer, and tries again until that succeeds: without a writer, changes would wait for ever, and purged
    /// objects would stay in the bucket. Nil at the end.
    private func awaitWriter() -> (any ObjectWriting)? {
        var isTold = false
        while true {
            if let writer = makeWriter(isLeaving) { return writer }
            if !isTold { environment.report(.noWriter) }
            isTold = true
            let isOver: Bool? = state.wait(milliseconds: configuration.writerPause) { [isLeaving] state in
                isLeaving.isSet || state.isClosing && state.queue.isIdle ? true : nil
            }
            if isOver == true { return nil }
        }
    }

    private func again(_ change: StoreChange) -> StoreChange {
        var change = change
        change.failures += 1
        return change
    }

    private enum Step {
        case make(StoreChange)
        /// The store rests; wait for so many milliseconds.
        case rest(Int)
        /// The next change is due in so many milliseconds.
        case pause(Int)
        case end
    }

    /// The next change; nil at the end.
    private func next() -> StoreChange? {
        var step: Step?
        while true {
            switch step ?? state.wait(until: { self.step(&$0) }) {
            case .make(let change): return change
            case .end: return nil
            case .rest(let milliseconds):
                step = nil
                _ = state.wait(milliseconds: milliseconds) { [environment] state in
                    state.isClosing || state.breaker.wait(at: environment.ticks()) == 0 ? true : nil
                }
            case .pause(let milliseconds):
                step = pause(milliseconds)
            }
        }
    }

    /// Waits for so many milliseconds at most, and returns the next step; nil if there is none.
    private func pause(_ milliseconds: Int) -> Step? {
        state.withLock { $0.pausing += 1 }
        let step = state.wait(milliseconds: milliseconds) { state -> Step? in
            guard let step = self.step(&state) else { return nil }
            if case .pause = step { return nil }
            state.pausing -= 1
            return step
        }
        if step == nil { state.withLock { $0.pausing -= 1 } }
        let isUnwatched = state.withLock {
            $0.pausing == 0 && $0.queue.pause(at: environment.ticks()) != nil
        }
        // This writer is busy from now on, so another one must wait for changes that are due later.
        if case .make = step, isUnwatched { state.wakeOne() }
        return step
    }

    /// The next step; nil while there is nothing to do.
    private func step(_ state: inout State) -> Step? {
        if isLeaving.isSet || state.isClosing && state.queue.isIdle { return .end }
        guard state.queue.count > 0 else { return nil }
        let now = environment.ticks()
        let rest = state.breaker.wait(at: now)
        guard rest == 0 else { return state.isClosing ? .end : .rest(Int(clamping: rest / 1_000) + 1) }
        guard let change = state.queue.pop(at: now, isLast: state.isClosing) else {
            return state.queue.pause(at: now).map { .pause(Int(clamping: $0 / 1_000) + 1) }
        }
        _ = state.breaker.enter(at: now)
        state.leaving.formUnion(change.leaving)
        return .make(change)
    }
}
