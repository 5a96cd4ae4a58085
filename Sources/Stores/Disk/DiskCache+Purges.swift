// SPDX-License-Identifier: Apache-2.0

package import Pipeline
package import SourceURLs
internal import Synchronization

/// Purges that could not be carried out on the disk, or that the next store may have missed. All that a store holds is then
/// revalidated before it is served.
extension DiskCache {
    /// Notes a purge that found no store, because the disk hangs or is gone. Once a store answers again, all that it holds is
    /// revalidated before it is served.
    /// - Returns: false if a restart before that would forget the purge.
    @discardableResult
    package func notePurgeMissed() -> Bool {
        let isNoted = note.leave()
        state.withLock { state in
            state.missedPurges &+= 1
            // One folder may make up for it, and another one that has missed it may come back later.
            state.hasPurged = true
        }
        return isNoted
    }

    /// Carries out the first half of a purge in a store, and notes it if it is not on the disk. Blocks.
    /// - Throws: if the index cannot be read.
    package func purgeOriginals(
        _ order: PurgeOrder, in store: DiskStore
    ) throws(IndexUnreadable) -> PurgedOriginals {
        state.withLock { $0.hasPurged = true }
        let purged = try store.purgeOriginals(order)
        if let failure = purged.failure, failure.isCarriedOut { notePurgeUnsettled(in: store) }
        return purged
    }

    /// Forgets these names in a store, and notes that if it is not on the disk. Blocks.
    /// - Throws: if a restart may bring some back.
    package func forgetOriginals(
        _ keys: Set<OriginalKey>, in store: DiskStore
    ) throws(IndexUnreadable) {
        state.withLock { $0.hasPurged = true }
        do throws(IndexUnreadable) { try store.forgetOriginals(keys) } catch {
            notePurgeUnsettled(in: store)
            throw error
        }
    }

    /// Notes a purge that a store has carried out in memory and could not write to the disk. All entries of the store that is
    /// opened next, here or at the next start, are revalidated, and so are those of a store that has taken its place by now.
    func notePurgeUnsettled(in store: DiskStore) {
        note.leave()
        state.withLock { state in
            if state.store === store { state.unsettledPurges &+= 1 } else { state.missedPurges &+= 1 }
        }
    }

    /// True if purges are carried out in the folder to which the settings' path leads now, and no missed purge is left.
    /// Blocks on the disk.
    package var isInPlace: Bool { store?.isInPlace ?? false }

    /// Has all entries of a store revalidated before they are served, because it may hold what was purged while it was away.
    /// - Returns: false if a restart would forget that.
    private func confirmAll(of store: DiskStore) -> Bool {
        var order = PurgeOrder(.all, isSoft: true)
        order.isStrict = true
        let count = store.statistics.originals
        // In memory it counts, even if the disk does not take it.
        let purged = try? store.purgeOriginals(order)
        if count > 0 { report(.unconfirmed(count)) }
        return purged.map { $0.failure == nil } ?? false
    }

    /// The numbers of purges to make up for, and how often the note for the next start had been left by then.
    var purgesOwed: (missed: Int, unsettled: Int, noted: Int) {
        let (missed, unsettled) = state.withLock { ($0.missedPurges, $0.unsettledPurges) }
        // The note is left first.
        return (missed, unsettled, note.times)
    }

    /// Makes up for purges by having all entries revalidated, and removes the note for the next start.
    func makeUp(for owed: (missed: Int, unsettled: Int, noted: Int), in store: DiskStore) {
        let isSettled = confirmAll(of: store)
        state.withLock { state in
            // Otherwise another purge was missed meanwhile.
            if state.missedPurges == owed.missed { state.missedPurges = 0 }
            state.unsettledPurges =
                isSettled ? state.unsettledPurges - owed.unsettled : state.unsettledPurges + 1
        }
        if isSettled { note.remove(leftOnly: owed.noted) { state.withLock(\.hasAllPurges) } }
    }

    /// Has all entries revalidated if a purge was missed and the disk answers again. Blocks.
    func makeUpForPurges() {
        let owed = purgesOwed
        guard owed.missed > 0, let store = state.withLock(\.reachable) else { return }
        makeUp(for: owed, in: store)
    }
}
