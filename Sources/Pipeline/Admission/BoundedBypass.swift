// SPDX-License-Identifier: Apache-2.0

/// Bounded bypass (Lynch, "Distributed Algorithms", 1996): ordinary jobs go before expensive ones of their class, but only so many
/// one after the other while an expensive one waits. Then it is an expensive one's turn, so no expensive job starves.
struct BoundedBypass {
    private let most: Int
    /// Ordinary jobs that have gone before an expensive one, one after the other.
    private var count = 0

    init(most: Int) { self.most = most }

    /// Whether an expensive job goes before ordinary ones.
    var isTurnOfExpensive: Bool { count >= most }

    /// A job was admitted.
    /// - Parameter expensiveWaits: an expensive job waits still.
    mutating func admit(isExpensive: Bool, expensiveWaits: Bool) {
        count = isExpensive || !expensiveWaits ? 0 : count + 1
    }
}
