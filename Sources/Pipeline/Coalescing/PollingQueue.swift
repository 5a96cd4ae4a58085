// SPDX-License-Identifier: Apache-2.0
//
//              nobody is in line                     the one before leaves
//   arrives ──────────────────────▶ asks ◀──────────────────────────────────── waits
//      │                                                                         ▲ │
//      └─────────────────────── somebody is in line ─────────────────────────────┘ └──▶ gives up

internal import Synchronization

/// A queue for each name before a service that must be polled: only the first in it polls, so that a crowd costs the service
/// no more than one request, and the order of arrival is kept.
///
/// **Isolation:** a `Mutex`, which is not held while anything waits.
final class PollingQueue: Sendable {
    enum Call: Sendable, Hashable {
        /// The caller's turn to poll, and to `leave` afterwards.
        case first(hasWaited: Bool)
        /// The wait ended: it was too long, or its request is wanted no more.
        case gaveUp
        /// The first dismissed all that wait.
        case dismissed
    }

    /// The requests that wait behind the first, in order of arrival, with a number each. Joining, being the next and leaving
    /// take the same time however many wait, since all names share one lock.
    struct Line: Sendable {
        private var places: [Int: OneShot<Call>] = [:]
        /// The number of the request that has waited longest, or of one before it that gave up.
        private var head = 0
        /// The number of the next request that comes.
        private var end = 0

        var count: Int { places.count }
        /// All that wait, in no order.
        var all: some Sequence<OneShot<Call>> { places.values }

        /// - Returns: the request's number in this line.
        mutating func append(_ place: OneShot<Call>) -> Int {
            defer { end += 1 }
            places[end] = place
            return end
        }

        /// Takes out the request that has waited longest.
        mutating func popFirst() -> OneShot<Call>? {
            while head < end {
                defer { head += 1 }
                if let place = places.removeValue(forKey: head) { return place }
            }
            return nil
        }

        /// False if the place is not here: an earlier line of the same name may have had that number.
        mutating func remove(_ place: OneShot<Call>, _ number: Int) -> Bool {
            guard places[number] === place else { return false }
            places[number] = nil
            return true
        }
    }

    /// A name has a line as long as a first request polls for it.
    private let lines = Mutex<[String: Line]>([:])

    /// True if somebody asks, or waits to.
    func isOccupied(_ name: String) -> Bool { lines.withLock { $0[name] != nil } }

    /// The requests that ask, and those that wait to, under all names.
    var count: Int { lines.withLock { $0.values.reduce(0) { $0 + 1 + $1.count } } }

    /// Waits to be the first.
    /// - Parameter giveUp: gets what ends the wait, to be called later. A cancellation ends it as well.
    func enter(_ name: String, giveUp: (@escaping @Sendable () -> Void) -> Void) async -> Call {
        let place = OneShot<Call>()
        let number = lines.withLock { lines -> Int? in
            guard lines[name] != nil else {
                lines[name] = Line()
                return nil
            }
            return lines[name]?.append(place)
        }
        guard let number else { return .first(hasWaited: false) }
        giveUp { [weak self] in self?.end(place, number, in: name) }
        return await withTaskCancellationHandler {
            await place.value()
        } onCancel: {
            end(place, number, in: name)
        }
    }

    /// The first leaves, and the next is the first.
    func leave(_ name: String) {
        let next = lines.withLock { lines -> OneShot<Call>? in
            let next = lines[name]?.popFirst()
            if next == nil { lines[name] = nil }
            return next
        }
        next?.settle(.first(hasWaited: true))
    }

    /// The first leaves, and sends away all who wait.
    func dismiss(_ name: String) {
        guard let line = lines.withLock({ $0.removeValue(forKey: name) }) else { return }
        for place in line.all { place.settle(.dismissed) }
    }

    private func end(_ place: OneShot<Call>, _ number: Int, in name: String) {
        let hasWaited = lines.withLock { $0[name]?.remove(place, number) ?? false }
        if hasWaited { place.settle(.gaveUp) }
    }
}
