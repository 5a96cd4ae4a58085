// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Traces

/// Request coalescing (Go's singleflight): simultaneous requests for one key share one in-flight request.
///
/// The work depends on no single client. Each waiter has a ticket, and requests that join later get the same
/// result. The work completes exactly once. A failure is shared with the waiters and not kept. When the last
/// waiter leaves, the work is cancelled.
///
/// **Isolation:** the state is behind a `Mutex`; decisions are made inside, and tasks, continuations and
/// promotions are touched outside.
package final class Singleflight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The result that all waiters share.
    package typealias Completion = Result<Value, PipelineFailure>
    /// Runs in a task of its own; its priority may rise meanwhile.
    package typealias Work = @Sendable (LivePriority) async throws(PipelineFailure) -> Value
    /// Nil ends the wait of a waiter that has waited long enough.
    private typealias Waiter = OneShot<Completion?>
    private typealias State = SingleflightState<Key, Waiter>

    private let state = Mutex(State())

    /// No in-flight requests.
    package init() {}

    /// The number of in-flight requests.
    package var count: Int { state.withLock { $0.count } }
    /// True if the key has an in-flight request that can be joined.
    package func isInFlight(_ key: Key) -> Bool { state.withLock { $0.isInFlight(key) } }
    /// True if a waiter has given up on the key's in-flight request.
    package func isLate(_ key: Key) -> Bool { state.withLock { $0.isLate(key) } }
    /// In-flight requests that can be joined, the oldest first, and the number of requests that wait for each.
    package func oldest(_ count: Int) -> [(key: Key, waiting: Int)] { state.withLock { $0.oldest(count) } }
    /// The number of waiting requests.
    package var waiting: Int { state.withLock { $0.waiterCount } }

    /// Waits for the key's in-flight request, starting it if there is none. A cancelled waiter returns at
    /// once with `.cancelled`, while the work may go on for others.
    /// - Parameter client: whose turn the work may take; nil if clients are not told apart.
    /// - Returns: the value, and whether this call started the work.
    /// - Throws: the work's failure, or `.cancelled`.
    package func join(
        _ key: Key, priority: Priority, for client: Asker? = nil, work: @escaping Work
    ) async throws(PipelineFailure) -> (value: Value, led: Bool) {
        guard
            let (completion, led) = try await completion(key, priority: priority, for: client, work: work)
        else { throw .cancelled }
        return (completion, led)
    }

    /// Joins as `join` above does, for a request that can do without the value.
    /// - Parameter alarm: sets an alarm that ends the wait, which may be called once and on any thread. The
    ///   in-flight request goes on after it, with or without waiters.
    /// - Returns: nil if the alarm came first.
    /// - Throws: the work's failure, or `.cancelled`.
    package func join(
        _ key: Key, priority: Priority, until alarm: @escaping (@escaping @Sendable () -> Void) -> Void,
        work: @escaping Work
    ) async throws(PipelineFailure) -> (value: Value, led: Bool)? {
        try await completion(key, priority: priority, until: alarm, work: work)
    }

    private func completion(
        _ key: Key, priority: Priority, for client: Asker? = nil,
        until alarm: ((@escaping @Sendable () -> Void) -> Void)? = nil, work: @escaping Work
    ) async throws(PipelineFailure) -> (Value, led: Bool)? {
        // A client that has left starts no work.
        guard !Task.isCancelled else { throw .cancelled }
        let waiter = Waiter()
        let (ticket, joining) = state.withLock { $0.join(key, waiter: waiter, priority: priority) }
        let led: Bool
        switch joining {
        case .lead(let number, let control):
            led = true
            start(number, control, work)
        case .joined(let control):
            led = false
            control.priority.raise(to: priority, for: client)
            RequestSpan.current?.join(control.place)
        }
        alarm? { [weak self] in self?.goOn(without: ticket) }
        let completion = await withTaskCancellationHandler {
            await waiter.value()
        } onCancel: {
            leave(ticket)
        }
        return try completion.map { completion throws(PipelineFailure) in (try completion.get(), led) }
    }

    /// Starts an in-flight request without a waiter, so that no client can cancel it. Later requests join it.
    /// - Returns: false if the key has an in-flight request already.
    @discardableResult
    package func launch(_ key: Key, priority: Priority, work: @escaping Work) -> Bool {
        guard let (number, control) = state.withLock({ $0.launch(key, priority: priority) }) else {
            return false
        }
        start(number, control, work)
        return true
    }

    /// Closes the in-flight requests of matching keys: new requests start new ones, and the present waiters
    /// go on waiting.
    /// - Returns: the number of in-flight requests closed.
    package func closeToJoiners(where isMeant: @Sendable (Key) -> Bool) -> Int {
        state.withLock { $0.closeToJoiners(where: isMeant) }
    }

    /// The number of in-flight requests that `closeToJoiners` would close.
    package func count(where isMeant: @Sendable (Key) -> Bool) -> Int {
        state.withLock { $0.count(where: isMeant) }
    }

    private func start(_ number: UInt64, _ control: WorkControl, _ work: @escaping Work) {
        control.start {
            let completion: Completion
            do throws(PipelineFailure) {
                completion = .success(try await work(control.priority))
            } catch {
                completion = .failure(error)
            }
            for waiter in self.state.withLock({ $0.complete(number) }) { waiter.settle(completion) }
        }
    }

    private func goOn(without ticket: State.Ticket) {
        state.withLock { $0.goOn(without: ticket) }?.settle(nil)
    }

    private func leave(_ ticket: State.Ticket) {
        switch state.withLock({ $0.leave(ticket) }) {
        case .nothing: break
        case .freed(let waiter): waiter.settle(.failure(.cancelled))
        case .abandoned(let waiter, let control):
            control.cancel()
            waiter.settle(.failure(.cancelled))
        }
    }
}
