// SPDX-License-Identifier: Apache-2.0
//
//              nobody is in line                     the one before leaves
//   arrives ──────────────────────▶ asks ◀──────────────────────────────────── waits
//      │                                                                         ▲ │
//      └─────────────────────── somebody is in line ─────────────────────────────┘ └──▶ gives up

internal import Synchronization

/// For each name a line before a service that must be asked again and again: only its first asks, so that a crowd costs the
/// service no more than one, and who came first is served first.
///
/// **Isolation:** a `Mutex`, which is not held while anything waits.
final class AskingLine: Sendable {
    enum Call: Sendable, Hashable {
        /// To ask, and to `leave` then.
        case first(hasWaited: Bool)
        /// Too late, or wanted no more.
        case gaveUp
        /// The line was sent away.
        case dismissed
    }

    /// Who waits behind the first, in order of arrival; a name is here as long as there is a first.
    private let lines = Mutex<[String: [OneShot<Call>]]>([:])

    /// True if somebody asks, or waits to.
    func isOccupied(_ name: String) -> Bool { lines.withLock { $0[name] != nil } }

    /// Who asks, and who waits to, under all names.
    var count: Int { lines.withLock { $0.values.reduce(0) { $0 + 1 + $1.count } } }

    /// Waits to be the first.
    /// - Parameter giveUp: gets what ends the wait, to be called later. A cancellation ends it as well.
    func enter(_ name: String, giveUp: (@escaping @Sendable () -> Void) -> Void) async -> Call {
        let place = OneShot<Call>()
        let isFirst = lines.withLock { lines in
            guard lines[name] != nil else {
                lines[name] = []
                return true
            }
            lines[name]?.append(place)
            return false
        }
        if isFirst { return .first(hasWaited: false) }
        giveUp { [weak self] in self?.end(place, in: name) }
        return await withTaskCancellationHandler {
            await place.value()
        } onCancel: {
            end(place, in: name)
        }
    }

    /// The first leaves, and the next is the first.
    func leave(_ name: String) {
        let next = lines.withLock { lines -> OneShot<Call>? in
            guard let line = lines[name], let next = line.first else {
                lines[name] = nil
                return nil
            }
            lines[name] = Array(line.dropFirst())
            return next
        }
        next?.settle(.first(hasWaited: true))
    }

    /// The first leaves, and sends away all who wait.
    func dismiss(_ name: String) {
        for place in lines.withLock({ $0.removeValue(forKey: name) }) ?? [] { place.settle(.dismissed) }
    }

    private func end(_ place: OneShot<Call>, in name: String) {
        let hasWaited = lines.withLock { lines in
            guard let line = lines[name] else { return false }
            let rest = line.filter { $0 !== place }
            lines[name] = rest
            return rest.count < line.count
        }
        if hasWaited { place.settle(.gaveUp) }
    }
}
