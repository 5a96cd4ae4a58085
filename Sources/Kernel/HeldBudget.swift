// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A limit on the bytes that are held in memory, or on the disk.
///
/// A file may take at most half of the room that other files leave. So large files are refused first, and small files find room
/// beside any number of large ones.
///
/// **Isolation:** all state is atomic.
package final class HeldBudget: Sendable {
    /// Bytes.
    package let limit: Int
    private let charged = Atomic<Int>(0)
    private let evicted = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)

    init(limit: Int) { self.limit = limit }

    /// Bytes that are held now.
    package var used: Int { charged.load(ordering: .relaxed) + evicted.load(ordering: .relaxed) }

    /// Files that were not made, or not written to their end, for want of room.
    package var refusals: Int { refused.load(ordering: .relaxed) }

    /// True if more than half of the limit is used; clients must then read their answers faster (`crowdingBytes`).
    package var isCrowded: Bool { used > limit / 2 }

    /// The length in bytes of the longest file that may be held now.
    private var longest: Int { max(0, limit - used) / 2 }

    /// - Throws: `heldBytesSpent` if not even a page may be held; counts a refusal then.
    package func refuseIfSpent() throws(SystemError) { try refuse(4_096) }

    /// Asks for room without taking it.
    /// - Throws: `heldBytesSpent` if a file of `length` bytes has no room; counts a refusal then.
    package func refuse(_ length: Int) throws(SystemError) {
        guard length > longest else { return }
        refused.add(1, ordering: .relaxed)
        throw .heldBytesSpent
    }

    /// Charges the bytes by which a file grows.
    func take(from before: Int, to length: Int) throws(SystemError) {
        let more = length - before
        let after = charged.add(more, ordering: .relaxed).newValue
        let others = after - length + evicted.load(ordering: .relaxed)
        guard length > max(0, limit - others) / 2 else { return }
        charged.subtract(more, ordering: .relaxed)
        refused.add(1, ordering: .relaxed)
        throw .heldBytesSpent
    }

    func giveBack(_ bytes: Int) { charged.subtract(bytes, ordering: .relaxed) }

    func setEvicted(_ bytes: Int) { evicted.store(bytes, ordering: .relaxed) }
}
