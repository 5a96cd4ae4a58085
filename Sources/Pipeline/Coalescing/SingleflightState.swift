// SPDX-License-Identifier: Apache-2.0

/// The decisions of a `Singleflight`, without its locks, tasks and continuations: the in-flight requests and
/// their waiters.
///
/// An in-flight request is stored from its start until it completes or is abandoned, never both. Each waiter
/// is returned exactly once: from `complete`, from `leave` or from `goOn`.
struct SingleflightState<Key: Hashable & Sendable, Waiter> {
    /// A waiter's right to leave; void once its in-flight request has completed or was abandoned.
    struct Ticket: Sendable {
        let key: Key
        /// Unique in this table, so a ticket never affects the key's next in-flight request.
        let waiter: UInt64
    }

    private struct InFlightWork {
        let number: UInt64
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
        /// Completed, or left, before.
        case nothing
        /// Other waiters remain.
        case freed(Waiter)
        /// The last waiter left: the work must be cancelled, and the next request starts anew.
        case abandoned(Waiter, WorkControl)
    }

    private var open: [Key: InFlightWork] = [:]
    /// In-flight requests by number that complete for their waiters, but cannot be joined any more.
    private var closed: [UInt64: InFlightWork] = [:]
    private var lastNumber: UInt64 = 0

    var count: Int { open.count + closed.count }
    var waiterCount: Int { (Array(open.values) + closed.values).reduce(0) { $0 + $1.waiters.count } }

    /// In-flight requests and the number of those that wait for each, the oldest first.
    func oldest(_ count: Int) -> [(key: Key, waiting: Int)] {
        open.sorted { $0.value.number < $1.value.number }.prefix(count).map {
            ($0.key, $0.value.waiters.count)
        }
    }

    func isInFlight(_ key: Key) -> Bool { open[key] != nil }
    /// True if a waiter has given up on the key's in-flight request.
    func isLate(_ key: Key) -> Bool { open[key]?.isLate == true }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func join(_ key: Key, waiter: Waiter, priority: Priority) -> (Ticket, Joining) {
        let place = nextNumber()
        // In place, by index: copying the in-flight request would copy all its waiters each time.
        if let index = open.index(forKey: key) {
            open.values[index].waiters[place] = waiter
            return (Ticket(key: key, waiter: place), .joined(open.values[index].control))
        }
        let number = nextNumber()
        let control = WorkControl(priority: priority)
        open[key] = InFlightWork(
            number: number, control: control, waiters: [place: waiter], isUnattended: false)
        return (Ticket(key: key, waiter: place), .lead(number, control))
    }

    /// Adds an in-flight request without waiters; nil if the key has one already.
    mutating func launch(_ key: Key, priority: Priority) -> (number: UInt64, control: WorkControl)? {
        guard open[key] == nil else { return nil }
        let number = nextNumber()
        let control = WorkControl(priority: priority)
        open[key] = InFlightWork(number: number, control: control, isUnattended: true)
        return (number, control)
    }

    /// Closes the in-flight requests of matching keys to new waiters.
    /// - Returns: the number of in-flight requests closed.
    mutating func closeToJoiners(where isMeant: (Key) -> Bool) -> Int {
        let meant = open.filter { isMeant($0.key) }
        for (key, work) in meant {
            open[key] = nil
            closed[work.number] = work
        }
        return meant.count
    }

    /// The number of in-flight requests that `closeToJoiners` would close.
    func count(where isMeant: (Key) -> Bool) -> Int { open.keys.count(where: isMeant) }

    mutating func leave(_ ticket: Ticket) -> Leaving {
        if let number = closed.first(where: { $0.value.waiters[ticket.waiter] != nil })?.key {
            return leaveClosed(number, ticket)
        }
        guard let index = open.index(forKey: ticket.key),
            let waiter = open.values[index].waiters.removeValue(forKey: ticket.waiter)
        else { return .nothing }
        guard open.values[index].waiters.isEmpty, !open.values[index].isUnattended else {
            return .freed(waiter)
        }
        return .abandoned(waiter, open.remove(at: index).value.control)
    }

    private mutating func leaveClosed(_ number: UInt64, _ ticket: Ticket) -> Leaving {
        guard let waiter = closed[number]?.waiters.removeValue(forKey: ticket.waiter) else { return .nothing }
        guard let work = closed[number], work.waiters.isEmpty, !work.isUnattended else {
            return .freed(waiter)
        }
        closed[number] = nil
        return .abandoned(waiter, work.control)
    }

    /// Frees a waiter while its in-flight request goes on, because the result is still wanted.
    /// - Returns: nil if the in-flight request has completed, or the waiter had left.
    mutating func goOn(without ticket: Ticket) -> Waiter? {
        if let number = closed.first(where: { $0.value.waiters[ticket.waiter] != nil })?.key {
            closed[number]?.isUnattended = true
            return closed[number]?.waiters.removeValue(forKey: ticket.waiter)
        }
        guard let index = open.index(forKey: ticket.key),
            let waiter = open.values[index].waiters.removeValue(forKey: ticket.waiter)
        else { return nil }
        open.values[index].isUnattended = true
        open.values[index].isLate = true
        return waiter
    }

    /// Completes an in-flight request.
    /// - Returns: its waiters; none if it was abandoned.
    mutating func complete(_ key: Key, _ number: UInt64) -> [Waiter] {
        if let work = closed.removeValue(forKey: number) { return Array(work.waiters.values) }
        guard let work = open[key], work.number == number else { return [] }
        open[key] = nil
        return Array(work.waiters.values)
    }
}
