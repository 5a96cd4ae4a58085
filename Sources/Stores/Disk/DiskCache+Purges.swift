// SPDX-License-Identifier: Apache-2.0

package import Pipeline
package import SourceURLs
internal import Synchronization

/// Purges that could not be carried out on the disk, or that the next store may have missed. In both cases everything in a store
/// is revalidated before it is served.
extension DiskCache {
    /// Notes a purge that found no store, because the disk hangs or is gone. Once a store answers again, everything in it is
    /// revalidated before it is served.
    /// - Returns: false if a restart before that would forget the purge.
    @discardableResult
    package func notePurgeMissed() -> Bool {
        let isNoted = note.leave()
        state.withLock { state in
            state.missedPurges &+= 1
            // The present folder may make up for the purge, but another one that has missed it may come back later.
            state.hasPurged = true
        }
        return isNoted
    }

    /// Carries out the first half of a purge in a store, and notes the purge if it could not be written to the disk. Blocks.
    /// - Throws: if the index cannot be read.
    package func purgeOriginals(
        _ order: PurgeOrder, in store: DiskStore
    ) throws(IndexUnreadable) -> PurgedOriginals {
        state.withLock { $0.hasPurged = true }
        let purged = try store.purgeOriginals(order)
        if let failure = purged.failure, failure.isCarriedOut { notePurgeUnsettled(in: store) }
        return purged
    }

    /// Forgets these names in a store, and makes a note if that could not be written to the disk. Blocks.
    /// - Throws: if a restart may bring some of them back.
    package func forgetOriginals(
        _ keys: Set<OriginalKey>, in store: DiskStore
    ) throws(IndexUnreadable) {
        state.withLock { $0.hasPurged = true }
        do throws(IndexUnreadable) { try store.forgetOriginals(keys) } catch {
            notePurgeUnsettled(in: store)
            throw error
        }
    }

    /// Notes a purge that a store has carried out in memory and could not write to the disk. All entries of the next store,
    /// opened here or at the next start, are revalidated, and so are those of a store that has already taken its place.
    func notePurgeUnsettled(in store: DiskStore) {
        note.leave()
        state.withLock { state in
            if state.store === store { state.unsettledPurges &+= 1 } else { state.missedPurges &+= 1 }
        }
    }

    /// True if purges are carried out in the folder to which the settings' path leads now, and no missed purge is left.
    /// Blocks on the disk.
    package var isInPlace: Bool { store?.isInPlace ?? false }

    /// Has all entries of a store revalidated before they are served, because some may have been purged while it was away.
    /// - Returns: false if a restart would forget that.
    private func confirmAll(of store: DiskStore) -> Bool {
        var order = PurgeOrder(.all, isSoft: true)
        order.isStrict = true
        let count = store.statistics.originals
        // The mark counts in memory even if the disk does not store it.
        let purged = try? store.purgeOriginals(order)
        if count > 0 { report(.unconfirmed(count)) }
        return purged.map { $0.failure == nil } ?? false
    }

    /// The numbers of purges to make up for, and how often the note for the next start has been left so far.
    var purgesOwed: (missed: Int, unsettled: Int, noted: Int) {
        let (missed, unsettled) = state.withLock { ($0.missedPurges, $0.unsettledPurges) }
        // The note is left before these numbers are changed, so it is read after them.
        return (missed, unsettled, note.times)
    }

    /// Makes up for purges by having all entries revalidated, and removes the note for the next start.
    func makeUp(for owed: (missed: Int, unsettled: Int, noted: Int), in store: DiskStore) {
        let isSettled = confirmAll(of: store)
        state.withLock { state in
            // If the number has changed, another purge was missed meanwhile.
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
