// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Request coalescing (also called single flight): work that several requests need at the same time is done once, as one
/// flight a key.
///
/// A flight's life depends on no single client. Each waiter holds a ticket. A request that joins later gets the same landing.
/// A flight lands exactly once. A failure is shared with the waiters and is not kept. When the last waiter leaves, the work is
/// cancelled.
///
/// **Isolation:** the book is behind a `Mutex`; it decides inside, and tasks, continuations and promotions are
/// touched outside.
package final class FlightTable<Key: Hashable & Sendable, Cargo: Sendable>: Sendable {
    package typealias Landing = Result<Cargo, PipelineFailure>
    /// Runs in a task of its own. The priority may rise while it runs.
    package typealias Work = @Sendable (LivePriority) async throws(PipelineFailure) -> Cargo
    /// Nil: the waiter has waited long enough.
    private typealias Seat = OneShot<Landing?>
    private typealias Book = FlightBook<Key, Seat>

    private let book = Mutex(Book())

    package init() {}

    /// Flights in the air.
    package var count: Int { book.withLock { $0.count } }
    /// Whether a flight is in the air that can be joined.
    package func isFlying(_ key: Key) -> Bool { book.withLock { $0.isFlying(key) } }
    /// Whether the key's flight is in the air and a waiter has given up waiting for it.
    package func isLate(_ key: Key) -> Bool { book.withLock { $0.isLate(key) } }
    /// Requests that wait for flights.
    package var waiting: Int { book.withLock { $0.seatCount } }

    /// Waits for the key's flight, starting it if there is none. A cancelled waiter is freed at once with
    /// `.cancelled`, also while the flight goes on.
    /// - Returns: the flight's cargo, and whether this call started the flight.
    /// - Throws: the flight's failure, or `.cancelled`.
    package func ride(
        _ key: Key, priority: Priority, work: @escaping Work
    ) async throws(PipelineFailure) -> (cargo: Cargo, led: Bool) {
        guard let (landing, led) = try await landing(key, priority: priority, work: work) else {
            throw .cancelled
        }
        return (landing, led)
    }

    /// The same for a request that can do without.
    /// - Parameter alarm: sets the alarm at which the wait is over, to be called once and on any thread. The flight goes on
    ///   after it, whether or not anybody else waits.
    /// - Returns: nil where the alarm came first.
    package func ride(
        _ key: Key, priority: Priority, until alarm: @escaping (@escaping @Sendable () -> Void) -> Void,
        work: @escaping Work
    ) async throws(PipelineFailure) -> (cargo: Cargo, led: Bool)? {
        try await landing(key, priority: priority, until: alarm, work: work)
    }

    private func landing(
        _ key: Key, priority: Priority, until alarm: ((@escaping @Sendable () -> Void) -> Void)? = nil,
        work: @escaping Work
    ) async throws(PipelineFailure) -> (Cargo, led: Bool)? {
        // No work is started for a client that has left already.
        guard !Task.isCancelled else { throw .cancelled }
        let seat = Seat()
        let (ticket, boarding) = book.withLock { $0.join(key, seat: seat, priority: priority) }
        let led: Bool
        switch boarding {
        case .depart(let number, let control):
            led = true
            start(key, number, control, work)
        case .ride(let control):
            led = false
            control.priority.raise(to: priority)
        }
        alarm? { [weak self] in self?.goOn(without: ticket) }
        let landing = await withTaskCancellationHandler {
            await seat.value()
        } onCancel: {
            leave(ticket)
        }
        return try landing.map { landing throws(PipelineFailure) in (try landing.get(), led) }
    }

    /// Starts a flight without a waiter, which no client can cancel by leaving. Requests that come meanwhile join it.
    /// - Returns: false where one is in the air already.
    @discardableResult
    package func launch(_ key: Key, priority: Priority, work: @escaping Work) -> Bool {
        guard let (number, control) = book.withLock({ $0.launch(key, priority: priority) }) else {
            return false
        }
        start(key, number, control, work)
        return true
    }

    /// Requests for one of these keys get a new flight from now on. The waiters of the old one go on waiting.
    /// - Returns: how many flights were closed.
    package func closeDoors(where isMeant: @Sendable (Key) -> Bool) -> Int {
        book.withLock { $0.closeDoors(where: isMeant) }
    }

    private func start(_ key: Key, _ number: UInt64, _ control: FlightControl, _ work: @escaping Work) {
        control.start {
            let landing: Landing
            do throws(PipelineFailure) {
                landing = .success(try await work(control.priority))
            } catch {
                landing = .failure(error)
            }
            for seat in self.book.withLock({ $0.land(key, number) }) { seat.settle(landing) }
        }
    }

    private func goOn(without ticket: Book.Ticket) {
        book.withLock { $0.goOn(without: ticket) }?.settle(nil)
    }

    private func leave(_ ticket: Book.Ticket) {
        switch book.withLock({ $0.leave(ticket) }) {
        case .nothing: break
        case .freed(let seat): seat.settle(.failure(.cancelled))
        case .abandoned(let seat, let control):
            control.cancel()
            seat.settle(.failure(.cancelled))
        }
    }
}
