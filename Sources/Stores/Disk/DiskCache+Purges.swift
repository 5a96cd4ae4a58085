// SPDX-License-Identifier: Apache-2.0

package import Pipeline
package import SourceURLs
internal import Synchronization

/// Purges that a disk, or the store that is opened next, has not got: what they hold is confirmed by its origins before it is
/// served.
extension DiskCache {
    /// Notes a purge that found no store: what a disk holds that hangs or is gone is confirmed by its origins before it is served
    /// again.
    /// - Returns: false if a restart before that forgets it.
    @discardableResult
    package func notePurgeMissed() -> Bool {
        let isNoted = note.leave()
        state.withLock { state in
            state.missedPurges &+= 1
            // One folder may make up for it, and another come back that has not got it.
            state.hasPurged = true
        }
        return isNoted
    }

    /// Carries out the first half of a purge in a store, and notes what another that takes its place has not got. Blocks.
    /// - Throws: if the index cannot be read.
    package func purgeOriginals(
        _ order: PurgeOrder, in store: DiskStore
    ) throws(IndexUnreadable) -> PurgedOriginals {
        state.withLock { $0.hasPurged = true }
        let purged = try store.purgeOriginals(order)
        if let failure = purged.failure, failure.isCarriedOut { notePurgeUnsettled(in: store) }
        return purged
    }

    /// Forgets these names in a store, and notes what another that takes its place has not got. Blocks.
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

    /// Notes a purge that a store has carried out in memory and that is not on the disk: the store that is opened next, here or
    /// at the next start, has all confirmed; and so has one that has taken its place meanwhile.
    func notePurgeUnsettled(in store: DiskStore) {
        note.leave()
        state.withLock { state in
            if state.store === store { state.unsettledPurges &+= 1 } else { state.missedPurges &+= 1 }
        }
    }

    /// True if purges are carried out in the folder to which the settings' path leads now, and none is left to be made up for.
    /// Blocks on the disk.
    package var isInPlace: Bool { store?.isInPlace ?? false }

    /// Has all entries of a store confirmed before it is asked: it was away, and may hold entries purged meanwhile.
    /// - Returns: false if that is not on the disk.
    private func confirmAll(of store: DiskStore) -> Bool {
        var order = PurgeOrder(.all, isSoft: true)
        order.isStrict = true
        let count = store.statistics.originals
        // In memory it counts, even if the disk does not take it.
        let purged = try? store.purgeOriginals(order)
        if count > 0 { report(.unconfirmed(count)) }
        return purged.map { $0.failure == nil } ?? false
    }

    /// The purges that are to be made up for, and how often the note had been left by then.
    var purgesOwed: (missed: Int, unsettled: Int, noted: Int) {
        let (missed, unsettled) = state.withLock { ($0.missedPurges, $0.unsettledPurges) }
        // The note is left first.
        return (missed, unsettled, note.times)
    }

    func makeUp(for owed: (missed: Int, unsettled: Int, noted: Int), in store: DiskStore) {
        let isSettled = confirmAll(of: store)
        state.withLock { state in
            // Or another came meanwhile.
            if state.missedPurges == owed.missed { state.missedPurges = 0 }
            state.unsettledPurges =
                isSettled ? state.unsettledPurges - owed.unsettled : state.unsettledPurges + 1
        }
        if isSettled { note.remove(leftOnly: owed.noted) { state.withLock(\.hasAllPurges) } }
    }

    /// Has all confirmed that is held, once the disk answers again, if a purge was missed. Blocks.
    func makeUpForPurges() {
        let owed = purgesOwed
        guard owed.missed > 0, let store = state.withLock(\.reachable) else { return }
        makeUp(for: owed, in: store)
    }
}
