// SPDX-License-Identifier: Apache-2.0

package import Kernel
internal import Synchronization

/// Broadcasts the event of each second to all readers. An event is made once for all readers. A slow reader misses events and
/// gets the newest.
///
/// **Isolation:** a `Mutex`; continuations are resumed outside of it.
package final class LiveBroadcast: Sendable {
    private struct State {
        var number: UInt64 = 0
        var event: ImmutableBytes?
        var readers = 0
        /// How often all readers were dismissed.
        var dismissals = 0
        var lastWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())
    private let limit: Int

    /// - Parameter limit: the most readers at a time.
    package init(limit: Int) { self.limit = limit }

    /// The present number of readers.
    package var readers: Int { state.withLock { $0.readers } }

    /// A new reader, which counts until it is released; nil if there are too many.
    package func reader() -> Reader? {
        let isAdmitted = state.withLock { state in
            guard state.readers < limit else { return false }
            state.readers += 1
            return true
        }
        return isAdmitted ? Reader(self) : nil
    }

    /// Publishes the next event.
    /// - Parameter event: makes the event with this number.
    package func publish(_ event: (UInt64) -> ImmutableBytes) {
        let number = state.withLock { $0.number + 1 }
        let bytes = event(number)
        let waiters = state.withLock { state in
            (state.number, state.event) = (number, bytes)
            return exchange(&state.waiters, with: [:]).values
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Ends the streams of all present readers, because the rules of who may read may have changed.
    package func dismiss() {
        let waiters = state.withLock { state in
            state.dismissals += 1
            return exchange(&state.waiters, with: [:]).values
        }
        for waiter in waiters { waiter.resume() }
    }

    /// A reader of the events.
    ///
    /// **Isolation:** one call of `next` at a time.
    package final class Reader: Sendable {
        private let broadcast: LiveBroadcast
        private let seen = Atomic<UInt64>(0)
        private let dismissals: Int

        fileprivate init(_ broadcast: LiveBroadcast) {
            self.broadcast = broadcast
            dismissals = broadcast.state.withLock { $0.dismissals }
            // The reader begins with the next event, because earlier ones are stale.
            seen.store(broadcast.state.withLock { $0.number }, ordering: .relaxed)
        }

        deinit { broadcast.state.withLock { $0.readers -= 1 } }

        /// The newest event that this reader has not had yet; nil if the task was cancelled or the reader dismissed.
        package func next() async -> ImmutableBytes? {
            while !Task.isCancelled, broadcast.state.withLock({ $0.dismissals }) == dismissals {
                if let event = take() { return event }
                await broadcast.change(after: seen.load(ordering: .relaxed), dismissals)
            }
            return nil
        }

        private func take() -> ImmutableBytes? {
            broadcast.state.withLock { state in
                guard state.number > seen.load(ordering: .relaxed) else { return nil }
                seen.store(state.number, ordering: .relaxed)
                return state.event
            }
        }
    }

    /// Returns when there is a newer event, the readers are dismissed, or the task is cancelled.
    private func change(after number: UInt64, _ dismissals: Int) async {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.number == number, state.dismissals == dismissals, !Task.isCancelled else {
                        return true
                    }
                    state.waiters[waiter] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
        }
    }
}
