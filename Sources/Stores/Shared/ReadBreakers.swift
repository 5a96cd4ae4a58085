// SPDX-License-Identifier: Apache-2.0

/// The circuit breakers for reads of the shared store, one for each kind of object, so that answers for entries do not hide that
/// bytes are not answered.
///
/// If the whole store fails, the breakers open together: failures of kinds without an answer since the first failure are added
/// up. Breakers that opened together close together, at the first answer.
struct ReadBreakers: Sendable {
    private var breakers: [ObjectKind: StoreBreaker] = [:]
    /// Kinds for which something was answered since the first of the failures that count now.
    private var answered: Set<ObjectKind> = []
    /// Kinds whose breakers have opened together.
    private var together: Set<ObjectKind> = []

    /// True if all kinds may be requested without a trial.
    var areClosed: Bool { breakers.values.allSatisfy(\.isClosed) }

    /// True if this request may go to the store; the caller must then call `left`.
    mutating func enter(_ kind: ObjectKind, at now: Int64) -> Bool {
        breakers[kind, default: StoreBreaker()].enter(at: now)
    }

    /// - Parameter chance: a random number in 0..<1.
    /// - Returns: the kinds whose breaker this has opened, or closed.
    mutating func left(
        _ kind: ObjectKind, _ sign: StoreBreaker.Sign, at now: Int64, chance: Double
    ) -> [ObjectKind] {
        switch sign {
        case .nothing: break
        case .answered: answered.insert(kind)
        case .failed where ObjectKind.allCases.allSatisfy({ failures(of: $0) == 0 }): answered = []
        case .failed: break
        }
        let hasChanged = breakers[kind, default: StoreBreaker()].left(sign, at: now, chance: chance)
        let own = hasChanged ? [kind] : []
        switch sign {
        case .nothing: return own
        case .answered: return own + closeTogether(with: kind, at: now, chance: chance)
        case .failed: return own + openTogether(hasOpened: hasChanged, at: now, chance: chance)
        }
    }

    private mutating func openTogether(hasOpened: Bool, at now: Int64, chance: Double) -> [ObjectKind] {
        let silent = ObjectKind.allCases.filter { isClosed($0) && !answered.contains($0) }
        let failures = silent.reduce(0) { $0 + self.failures(of: $1) }
        guard hasOpened || failures >= StoreBreaker.threshold else { return [] }
        for kind in silent { breakers[kind, default: StoreBreaker()].open(at: now, chance: chance) }
        together = Set(ObjectKind.allCases.filter { !isClosed($0) && !answered.contains($0) })
        return silent
    }

    private mutating func closeTogether(
        with kind: ObjectKind, at now: Int64, chance: Double
    ) -> [ObjectKind] {
        guard together.contains(kind) else { return [] }
        defer { together = [] }
        return ObjectKind.allCases.filter { other in
            together.contains(other) && !isClosed(other)
                && breakers[other, default: StoreBreaker()].left(.answered, at: now, chance: chance)
        }
    }

    private func failures(of kind: ObjectKind) -> Int { breakers[kind]?.failures ?? 0 }

    private func isClosed(_ kind: ObjectKind) -> Bool { breakers[kind]?.isClosed ?? true }
}
