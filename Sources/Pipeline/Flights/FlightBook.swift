// SPDX-License-Identifier: Apache-2.0

/// The flights and their waiters: the decisions of a `FlightTable`, without its locks, tasks and continuations.
///
/// A flight is in the book from its departure until it lands or is abandoned, and never both. A waiter that joins
/// meanwhile gets its seat back in one of two ways: from `land` or from `leave`. So every seat is handed out exactly once.
struct FlightBook<Key: Hashable & Sendable, Seat> {
    /// A waiter's right to leave. Worthless once its flight has landed or was abandoned.
    struct Ticket: Sendable {
        let key: Key
        /// Unique in the book, so a ticket never touches the key's next flight.
        let seat: UInt64
    }

    private struct Flight {
        let number: UInt64
        let control: FlightControl
        var seats: [UInt64: Seat] = [:]
        /// Wanted by the house itself: it lands whether or not anybody waits.
        var isUnattended: Bool
        /// A waiter has given up waiting for it.
        var isLate = false
    }

    enum Boarding {
        /// A new flight: start its work under this number.
        case depart(UInt64, FlightControl)
        /// One was in the air. Its work may have to be promoted.
        case ride(FlightControl)
    }

    enum Leaving {
        /// Landed before, or left before.
        case nothing
        /// Others go on waiting.
        case freed(Seat)
        /// That was the last: the work is to be cancelled. The next request gets a new flight.
        case abandoned(Seat, FlightControl)
    }

    private var flights: [Key: Flight] = [:]
    /// By number. These flights land for their waiters, and no request joins them any more.
    private var closed: [UInt64: Flight] = [:]
    private var lastNumber: UInt64 = 0

    var count: Int { flights.count + closed.count }
    var seatCount: Int { (Array(flights.values) + closed.values).reduce(0) { $0 + $1.seats.count } }

    func isFlying(_ key: Key) -> Bool { flights[key] != nil }
    /// Whether the key's flight is in the air and a waiter has given up waiting for it.
    func isLate(_ key: Key) -> Bool { flights[key]?.isLate == true }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func join(_ key: Key, seat: Seat, priority: Priority) -> (Ticket, Boarding) {
        let place = nextNumber()
        // By index and in place: a copy of the flight would copy all its seats for each one added.
        if let index = flights.index(forKey: key) {
            flights.values[index].seats[place] = seat
            return (Ticket(key: key, seat: place), .ride(flights.values[index].control))
        }
        let number = nextNumber()
        let control = FlightControl(priority: priority)
        flights[key] = Flight(number: number, control: control, seats: [place: seat], isUnattended: false)
        return (Ticket(key: key, seat: place), .depart(number, control))
    }

    /// A flight for nobody in particular; nil where one is in the air already.
    mutating func launch(_ key: Key, priority: Priority) -> (number: UInt64, control: FlightControl)? {
        guard flights[key] == nil else { return nil }
        let number = nextNumber()
        let control = FlightControl(priority: priority)
        flights[key] = Flight(number: number, control: control, isUnattended: true)
        return (number, control)
    }

    /// Requests for one of these keys get a new flight from now on.
    /// - Returns: how many flights were closed.
    mutating func closeDoors(where isMeant: (Key) -> Bool) -> Int {
        let meant = flights.filter { isMeant($0.key) }
        for (key, flight) in meant {
            flights[key] = nil
            closed[flight.number] = flight
        }
        return meant.count
    }

    mutating func leave(_ ticket: Ticket) -> Leaving {
        if let number = closed.first(where: { $0.value.seats[ticket.seat] != nil })?.key {
            return leaveClosed(number, ticket)
        }
        guard let index = flights.index(forKey: ticket.key),
            let seat = flights.values[index].seats.removeValue(forKey: ticket.seat)
        else { return .nothing }
        guard flights.values[index].seats.isEmpty, !flights.values[index].isUnattended else {
            return .freed(seat)
        }
        return .abandoned(seat, flights.remove(at: index).value.control)
    }

    private mutating func leaveClosed(_ number: UInt64, _ ticket: Ticket) -> Leaving {
        guard let seat = closed[number]?.seats.removeValue(forKey: ticket.seat) else { return .nothing }
        guard let flight = closed[number], flight.seats.isEmpty, !flight.isUnattended else {
            return .freed(seat)
        }
        closed[number] = nil
        return .abandoned(seat, flight.control)
    }

    /// The waiter goes, and its flight goes on, with or without others: its result is wanted all the same.
    /// - Returns: nil: the flight has landed, or the seat was left before.
    mutating func goOn(without ticket: Ticket) -> Seat? {
        if let number = closed.first(where: { $0.value.seats[ticket.seat] != nil })?.key {
            closed[number]?.isUnattended = true
            return closed[number]?.seats.removeValue(forKey: ticket.seat)
        }
        guard let index = flights.index(forKey: ticket.key),
            let seat = flights.values[index].seats.removeValue(forKey: ticket.seat)
        else { return nil }
        flights.values[index].isUnattended = true
        flights.values[index].isLate = true
        return seat
    }

    /// The flight has landed.
    /// - Returns: the seats of all its waiters; none where it was abandoned meanwhile.
    mutating func land(_ key: Key, _ number: UInt64) -> [Seat] {
        if let flight = closed.removeValue(forKey: number) { return Array(flight.seats.values) }
        guard let flight = flights[key], flight.number == number else { return [] }
        flights[key] = nil
        return Array(flight.seats.values)
    }
}
