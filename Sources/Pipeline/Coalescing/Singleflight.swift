// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Request coalescing (Go's singleflight): work that several requests need at the same time is done once, as one in-flight
/// request a key.
///
/// The work depends on no single client. Each waiter holds a ticket, and a request that joins later gets the same result. The
/// work completes exactly once. A failure is shared with the waiters and is not kept. When the last waiter leaves, the work is
/// cancelled.
///
/// **Isolation:** the state is behind a `Mutex`; it decides inside, and tasks, continuations and promotions are
/// touched outside.
package final class Singleflight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    package typealias Completion = Result<Value, PipelineFailure>
    /// Runs in a task of its own. The priority may rise while it runs.
    package typealias Work = @Sendable (LivePriority) async throws(PipelineFailure) -> Value
    /// Nil: the waiter has waited long enough.
    private typealias Waiter = OneShot<Completion?>
    private typealias State = SingleflightState<Key, Waiter>

    private let state = Mutex(State())

    package init() {}

    /// In-flight requests.
    package var count: Int { state.withLock { $0.count } }
    /// Whether an in-flight request of this key can be joined.
    package func isInFlight(_ key: Key) -> Bool { state.withLock { $0.isInFlight(key) } }
    /// Whether a waiter has given up waiting for the key's in-flight request.
    package func isLate(_ key: Key) -> Bool { state.withLock { $0.isLate(key) } }
    /// Requests that wait for in-flight requests.
    package var waiting: Int { state.withLock { $0.waiterCount } }

    /// Waits for the key's in-flight request, starting it if there is none. A cancelled waiter is freed at once with
    /// `.cancelled`, also while the work goes on.
    /// - Returns: the value, and whether this call started the work.
    /// - Throws: the work's failure, or `.cancelled`.
    package func join(
        _ key: Key, priority: Priority, work: @escaping Work
    ) async throws(PipelineFailure) -> (value: Value, led: Bool) {
        guard let (completion, led) = try await completion(key, priority: priority, work: work) else {
            throw .cancelled
        }
        return (completion, led)
    }

    /// The same for a request that can do without.
    /// - Parameter alarm: sets the alarm at which the wait is over, to be called once and on any thread. The in-flight request goes on
    ///   after it, whether or not anybody else waits.
    /// - Returns: nil where the alarm came first.
    package func join(
        _ key: Key, priority: Priority, until alarm: @escaping (@escaping @Sendable () -> Void) -> Void,
        work: @escaping Work
    ) async throws(PipelineFailure) -> (value: Value, led: Bool)? {
        try await completion(key, priority: priority, until: alarm, work: work)
    }

    private func completion(
        _ key: Key, priority: Priority, until alarm: ((@escaping @Sendable () -> Void) -> Void)? = nil,
        work: @escaping Work
    ) async throws(PipelineFailure) -> (Value, led: Bool)? {
        // No work is started for a client that has left already.
        guard !Task.isCancelled else { throw .cancelled }
        let waiter = Waiter()
        let (ticket, boarding) = state.withLock { $0.join(key, waiter: waiter, priority: priority) }
        let led: Bool
        switch boarding {
        case .lead(let number, let control):
            led = true
            start(key, number, control, work)
        case .joined(let control):
            led = false
            control.priority.raise(to: priority)
        }
        alarm? { [weak self] in self?.goOn(without: ticket) }
        let completion = await withTaskCancellationHandler {
            await waiter.value()
        } onCancel: {
            leave(ticket)
        }
        return try completion.map { completion throws(PipelineFailure) in (try completion.get(), led) }
    }

    /// Starts an in-flight request without a waiter, which no client can cancel by leaving. Requests that come meanwhile join it.
    /// - Returns: false where one is under way already.
    @discardableResult
    package func launch(_ key: Key, priority: Priority, work: @escaping Work) -> Bool {
        guard let (number, control) = state.withLock({ $0.launch(key, priority: priority) }) else {
            return false
        }
        start(key, number, control, work)
        return true
    }

    /// Requests for one of these keys get a new one from now on. The waiters of the old one go on waiting.
    /// - Returns: how many in-flight requests were closed.
    package func closeToJoiners(where isMeant: @Sendable (Key) -> Bool) -> Int {
        state.withLock { $0.closeToJoiners(where: isMeant) }
    }

    private func start(_ key: Key, _ number: UInt64, _ control: WorkControl, _ work: @escaping Work) {
        control.start {
            let completion: Completion
            do throws(PipelineFailure) {
                completion = .success(try await work(control.priority))
            } catch {
                completion = .failure(error)
            }
            for waiter in self.state.withLock({ $0.complete(key, number) }) { waiter.settle(completion) }
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
