// SPDX-License-Identifier: Apache-2.0

/// Bounded bypass (Lynch, "Distributed Algorithms", 1996): ordinary jobs overtake expensive ones of their
/// class, but only so many in a row while an expensive one waits. Then it is an expensive job's turn, so that
/// none starves.
struct BoundedBypass {
    /// Jobs that may overtake in a row.
    var most: Int
    /// Ordinary jobs that have overtaken an expensive one in a row.
    private var count = 0

    init(most: Int) { self.most = most }

    /// True if an expensive job goes before ordinary ones.
    var isTurnOfExpensive: Bool { count >= most }

    /// Records an admission.
    /// - Parameter expensiveWaits: true if an expensive job still waits.
    mutating func admit(isExpensive: Bool, expensiveWaits: Bool) {
        count = isExpensive || !expensiveWaits ? 0 : count + 1
    }
}
