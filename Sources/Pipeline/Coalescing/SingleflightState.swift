// SPDX-License-Identifier: Apache-2.0

/// The decisions of a `Singleflight`, without its locks, tasks and continuations: the in-flight requests and
/// their waiters.
///
/// An in-flight request is stored from its start until it completes or is abandoned, never both. Each waiter
/// is returned exactly once: from `complete`, from `leave` or from `goOn`.
struct SingleflightState<Key: Hashable & Sendable, Waiter> {
    /// A waiter's right to leave; void once its in-flight request has completed or was abandoned. Both numbers are
    /// unique in this table, so a ticket never affects the key's next in-flight request.
    struct Ticket: Sendable {
        /// The in-flight request's number.
        let work: UInt64
        let waiter: UInt64
    }

    private struct InFlightWork {
        let key: Key
        let control: WorkControl
        var waiters: [UInt64: Waiter] = [:]
        /// True for the daemon's own work, which goes on without waiters.
        var isUnattended: Bool
        /// True once a waiter has given up on it.
        var isLate = false
    }

    enum Joining {
        /// A new in-flight request, whose work must be started under this number.
        case lead(UInt64, WorkControl)
        /// An existing one, whose work may have to be promoted.
        case joined(WorkControl)
    }

    enum Leaving {
        /// The in-flight request has completed, or the waiter had left before.
        case nothing
        /// Other waiters remain.
        case freed(Waiter)
        /// The last waiter left: the work must be cancelled, and the next request starts anew.
        case abandoned(Waiter, WorkControl)
    }

    private var works: [UInt64: InFlightWork] = [:]
    /// For each key, the number of the in-flight request that can be joined; in-flight requests closed to joiners are only in
    /// `works`.
    private var open: [Key: UInt64] = [:]
    private var lastNumber: UInt64 = 0

    var count: Int { works.count }

    var waiterCount: Int { works.values.reduce(0) { $0 + $1.waiters.count } }

    /// In-flight requests that can be joined and the number of those that wait for each, the oldest first.
    func oldest(_ count: Int) -> [(key: Key, waiting: Int)] {
        open.sorted { $0.value < $1.value }.prefix(count).map {
            ($0.key, works[$0.value]?.waiters.count ?? 0)
        }
    }

    func isInFlight(_ key: Key) -> Bool { open[key] != nil }

    /// True if a waiter has given up on the key's in-flight request.
    func isLate(_ key: Key) -> Bool { open[key].flatMap { works[$0]?.isLate } ?? false }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func join(_ key: Key, waiter: Waiter, priority: Priority) -> (Ticket, Joining) {
        let place = nextNumber()
        // Changes the entry in place, by index: copying the in-flight request would copy all its waiters each time.
        if let number = open[key], let index = works.index(forKey: number) {
            works.values[index].waiters[place] = waiter
            return (Ticket(work: number, waiter: place), .joined(works.values[index].control))
        }
        let (number, control) = begin(key, priority, waiters: [place: waiter], isUnattended: false)
        return (Ticket(work: number, waiter: place), .lead(number, control))
    }

    /// Adds an in-flight request without waiters; nil if the key has one already.
    mutating func launch(_ key: Key, priority: Priority) -> (number: UInt64, control: WorkControl)? {
        isInFlight(key) ? nil : begin(key, priority, waiters: [:], isUnattended: true)
    }

    private mutating func begin(
        _ key: Key, _ priority: Priority, waiters: [UInt64: Waiter], isUnattended: Bool
    ) -> (number: UInt64, control: WorkControl) {
        let number = nextNumber()
        let control = WorkControl(priority: priority)
        works[number] = InFlightWork(
            key: key, control: control, waiters: waiters, isUnattended: isUnattended)
        open[key] = number
        return (number, control)
    }

    /// Closes the in-flight requests of matching keys to new waiters.
    /// - Returns: the number of in-flight requests closed.
    mutating func closeToJoiners(where isMeant: (Key) -> Bool) -> Int {
        let before = open.count
        open = open.filter { !isMeant($0.key) }
        return before - open.count
    }

    /// The number of in-flight requests that `closeToJoiners` would close.
    func count(where isMeant: (Key) -> Bool) -> Int { open.keys.count(where: isMeant) }

    mutating func leave(_ ticket: Ticket) -> Leaving {
        guard let index = works.index(forKey: ticket.work),
            let waiter = works.values[index].waiters.removeValue(forKey: ticket.waiter)
        else { return .nothing }
        guard works.values[index].waiters.isEmpty, !works.values[index].isUnattended else {
            return .freed(waiter)
        }
        let control = works.values[index].control
        remove(ticket.work)
        return .abandoned(waiter, control)
    }

    /// Frees a waiter while its in-flight request goes on, because the result is still wanted.
    /// - Returns: nil if the in-flight request has completed, or the waiter had left.
    mutating func goOn(without ticket: Ticket) -> Waiter? {
        guard let index = works.index(forKey: ticket.work),
            let waiter = works.values[index].waiters.removeValue(forKey: ticket.waiter)
        else { return nil }
        works.values[index].isUnattended = true
        works.values[index].isLate = true
        return waiter
    }

    /// Completes an in-flight request.
    /// - Returns: its waiters; none if it was abandoned.
    mutating func complete(_ number: UInt64) -> [Waiter] {
        remove(number).map { Array($0.waiters.values) } ?? []
    }

    @discardableResult
    private mutating func remove(_ number: UInt64) -> InFlightWork? {
        guard let work = works.removeValue(forKey: number) else { return nil }
        if open[work.key] == number { open[work.key] = nil }
        return work
    }
}
