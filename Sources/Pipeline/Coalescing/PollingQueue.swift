// SPDX-License-Identifier: Apache-2.0
//
//              nobody is in line                     the one before leaves
//   arrives ──────────────────────▶ asks ◀──────────────────────────────────── waits
//      │                                                                         ▲ │
//      └─────────────────────── somebody is in line ─────────────────────────────┘ └──▶ gives up

internal import Synchronization

/// A queue for each name in front of a service that must be polled. Only the first request of a queue polls, so a crowd costs the
/// service one request at a time, and the order of arrival is kept.
///
/// **Isolation:** a `Mutex`, not held while anything waits.
final class PollingQueue: Sendable {
    enum Call: Sendable, Hashable {
        /// The caller's turn to poll, and to `leave` afterwards.
        case first(hasWaited: Bool)
        /// The wait ended: it lasted too long, or nobody wants the request any more.
        case gaveUp
        /// The first request dismissed all that wait.
        case dismissed
    }

    /// The requests that wait behind the first one, in order of arrival, each with a number. `append`, `popFirst` and `remove` take
    /// the same time however many wait, because all names share one lock.
    struct Line: Sendable {
        private var places: [Int: OneShot<Call>] = [:]
        /// The number of the request that has waited longest, or the number of an earlier one that gave up.
        private var head = 0
        /// The number for the next request.
        private var end = 0

        var count: Int { places.count }
        /// All requests that wait, in no order.
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

        /// False if the request is not in this line: an earlier line of the same name may have given it that number.
        mutating func remove(_ place: OneShot<Call>, _ number: Int) -> Bool {
            guard places[number] === place else { return false }
            places[number] = nil
            return true
        }
    }

    /// A name has a line while a first request polls for it.
    private let lines = Mutex<[String: Line]>([:])

    /// True if a request polls for this name, or waits to.
    func isOccupied(_ name: String) -> Bool { lines.withLock { $0[name] != nil } }

    /// The requests that poll and those that wait to, under all names.
    var count: Int { lines.withLock { $0.values.reduce(0) { $0 + 1 + $1.count } } }

    /// Waits to be the first.
    /// - Parameter giveUp: gets a function that ends the wait, to be called later. A cancellation ends the wait as well.
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

    /// The first request leaves, and the next one becomes the first.
    func leave(_ name: String) {
        let next = lines.withLock { lines -> OneShot<Call>? in
            let next = lines[name]?.popFirst()
            if next == nil { lines[name] = nil }
            return next
        }
        next?.settle(.first(hasWaited: true))
    }

    /// The first request leaves, and dismisses all that wait.
    func dismiss(_ name: String) {
        guard let line = lines.withLock({ $0.removeValue(forKey: name) }) else { return }
        for place in line.all { place.settle(.dismissed) }
    }

    private func end(_ place: OneShot<Call>, _ number: Int, in name: String) {
        let hasWaited = lines.withLock { $0[name]?.remove(place, number) ?? false }
        if hasWaited { place.settle(.gaveUp) }
    }
}
