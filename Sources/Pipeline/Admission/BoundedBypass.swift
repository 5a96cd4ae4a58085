// SPDX-License-Identifier: Apache-2.0

/// Bounded bypass (Lynch, "Distributed Algorithms", 1996): ordinary jobs go before dear ones of their class, but only so many
/// one after the other while a dear one waits. Then it is a dear one's turn, so no dear job starves.
struct BoundedBypass {
    private let most: Int
    /// Ordinary jobs that have gone before a dear one, one after the other.
    private var count = 0

    init(most: Int) { self.most = most }

    /// Whether a dear job goes before ordinary ones.
    var isDearsTurn: Bool { count >= most }

    /// A job was admitted.
    /// - Parameter dearWaits: a dear job waits still.
    mutating func admit(isDear: Bool, dearWaits: Bool) {
        count = isDear || !dearWaits ? 0 : count + 1
    }
}
