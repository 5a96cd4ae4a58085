// SPDX-License-Identifier: Apache-2.0

/// The in-flight requests and their waiters: the decisions of a `Singleflight`, without its locks, tasks and continuations.
///
/// An in-flight request is held from its start until it completes or is abandoned, and never both. A waiter that joins
/// meanwhile is handed back in one of two ways: from `complete` or from `leave`. So every waiter is handed back exactly once.
struct SingleflightState<Key: Hashable & Sendable, Waiter> {
    /// A waiter's right to leave. Worthless once its in-flight request has completed or was abandoned.
    struct Ticket: Sendable {
        let key: Key
        /// Unique in this table, so a ticket never touches the key's next in-flight request.
        let waiter: UInt64
    }

    private struct InFlightWork {
        let number: UInt64
        let control: WorkControl
        var waiters: [UInt64: Waiter] = [:]
        /// Wanted by the daemon itself: it goes on whether or not anybody waits.
        var isUnattended: Bool
        /// A waiter has given up waiting for it.
        var isLate = false
    }

    enum Boarding {
        /// A new in-flight request: start its work under this number.
        case lead(UInt64, WorkControl)
        /// One was under way. Its work may have to be promoted.
        case joined(WorkControl)
    }

    enum Leaving {
        /// Completed before, or left before.
        case nothing
        /// Others go on waiting.
        case freed(Waiter)
        /// That was the last: the work is to be cancelled. The next request gets a new one.
        case abandoned(Waiter, WorkControl)
    }

    private var open: [Key: InFlightWork] = [:]
    /// By number. These in-flight requests complete for their waiters, and no request joins them any more.
    private var closed: [UInt64: InFlightWork] = [:]
    private var lastNumber: UInt64 = 0

    var count: Int { open.count + closed.count }
    var waiterCount: Int { (Array(open.values) + closed.values).reduce(0) { $0 + $1.waiters.count } }

    func isInFlight(_ key: Key) -> Bool { open[key] != nil }
    /// Whether the key's in-flight request has lost a waiter that gave up.
    func isLate(_ key: Key) -> Bool { open[key]?.isLate == true }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func join(_ key: Key, waiter: Waiter, priority: Priority) -> (Ticket, Boarding) {
        let place = nextNumber()
        // By index and in place: a copy of the in-flight request would copy all its waiters for each one added.
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

    /// An in-flight request for nobody in particular; nil where one is under way already.
    mutating func launch(_ key: Key, priority: Priority) -> (number: UInt64, control: WorkControl)? {
        guard open[key] == nil else { return nil }
        let number = nextNumber()
        let control = WorkControl(priority: priority)
        open[key] = InFlightWork(number: number, control: control, isUnattended: true)
        return (number, control)
    }

    /// Requests for one of these keys get a new one from now on.
    /// - Returns: how many in-flight requests were closed.
    mutating func closeToJoiners(where isMeant: (Key) -> Bool) -> Int {
        let meant = open.filter { isMeant($0.key) }
        for (key, work) in meant {
            open[key] = nil
            closed[work.number] = work
        }
        return meant.count
    }

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

    /// The waiter goes, and its in-flight request goes on, with or without others: its result is wanted all the same.
    /// - Returns: nil: the in-flight request has completed, or the waiter had left before.
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

    /// The in-flight request has completed.
    /// - Returns: its waiters; none where it was abandoned meanwhile.
    mutating func complete(_ key: Key, _ number: UInt64) -> [Waiter] {
        if let work = closed.removeValue(forKey: number) { return Array(work.waiters.values) }
        guard let work = open[key], work.number == number else { return [] }
        open[key] = nil
        return Array(work.waiters.values)
    }
}
