// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Work that several ask for at the same time is done once: one flight a key.
///
/// A flight's life depends on no single client. Each waiter holds a token; who joins later sees the same landing; it
/// lands exactly once; a failed landing is shared with those who waited and is gone with them; when the last waiter
/// leaves, the work is cancelled.
///
/// **Isolation:** the book is behind a `Mutex`; it decides inside, and tasks, continuations and promotions are
/// touched outside.
package final class FlightTable<Key: Hashable & Sendable, Cargo: Sendable>: Sendable {
    package typealias Landing = Result<Cargo, PipelineFailure>
    /// Runs in a task of its own. The priority may rise while it runs.
    package typealias Work = @Sendable (LivePriority) async throws(PipelineFailure) -> Cargo
    /// Nil lands in it when whoever waits has waited long enough.
    private typealias Seat = OneShot<Landing?>
    private typealias Book = FlightBook<Key, Seat>

    private let book = Mutex(Book())

    package init() {}

    /// How many are in the air.
    package var count: Int { book.withLock { $0.count } }
    /// Whether one is in the air that can be joined.
    package func isFlying(_ key: Key) -> Bool { book.withLock { $0.isFlying(key) } }
    /// Whether one is in the air for which somebody did not want to wait any longer.
    package func isLate(_ key: Key) -> Bool { book.withLock { $0.isLate(key) } }
    /// How many wait for them.
    package var waiting: Int { book.withLock { $0.seatCount } }

    /// Waits for the key's flight, starting it if there is none. A cancelled waiter is freed at once with
    /// `.cancelled`, whatever the flight does.
    /// - Returns: what landed, and whether this call was the one that started the flight.
    package func ride(
        _ key: Key, priority: Priority, work: @escaping Work
    ) async throws(PipelineFailure) -> (cargo: Cargo, led: Bool) {
        guard let (landing, led) = try await landing(key, priority: priority, work: work) else {
            throw .cancelled
        }
        return (landing, led)
    }

    /// The same for somebody who can do without.
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
        // Nothing is started for somebody who has left already.
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

    /// Starts a flight that nobody waits for and nobody can cancel by leaving. Who comes meanwhile joins it.
    /// - Returns: false where one is in the air already.
    @discardableResult
    package func launch(_ key: Key, priority: Priority, work: @escaping Work) -> Bool {
        guard let (number, control) = book.withLock({ $0.launch(key, priority: priority) }) else {
            return false
        }
        start(key, number, control, work)
        return true
    }

    /// Whoever comes for one of these keys now gets a new flight; those who wait go on waiting for the old one. Returns
    /// how many flights that were.
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
