// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Synchronization

/// Looks after the store, once a second on a thread of its own, and replaces one that cannot be used any more.
extension DiskCache {
    func watch() {
        // A sweep examines all files, so if some stay behind again and again, the pauses between sweeps grow to about an hour.
        var (openings, sweeps) = (AttemptPause(longest: 16), AttemptPause(longest: 4_096))
        var ticks = 0
        repeat {
            look.withLock { $0.begin() }
            if openings.isOver(afterTick: ticks) {
                if renew() {
                    openings.lengthen(from: ticks)
                } else if sweeps.isOver(afterTick: ticks), sweepLeftovers() {
                    sweeps.lengthen(from: ticks)
                }
            }
            let nameless = held.lookAtNames()
            look.withLock { $0.end() }
            // Files that left the cache are released already. These were deleted by others, or somebody is still reading them.
            if !nameless.isEmpty { released(.nameless(nameless)) }
            makeUpForPurges()
            ticks += 1
        } while !stop.isSet(within: configuration.watchInterval)
    }

    /// Replaces an unusable store, or opens a missing one; true if that was tried.
    private func renew() -> Bool {
        guard let store = opened else {
            open(settingAside: false)
            return true
        }
        if !store.isInPlace {
            replace(because: .exchanged)
        } else if store.isIndexDamaged {
            replace(because: mustSetAside(store) ? .damaged : .doubtful)
        } else if store.isReadOnly, store.mayBecomeWritable {
            replace(because: .writable)
        } else {
            store.lookAfter()
            return false
        }
        return true
    }

    /// Sweeps if files are left whose removal failed; false if there are none.
    private func sweepLeftovers() -> Bool {
        guard let store = opened, store.isSweepDue else { return false }
        store.startSweep { [report] in report(.swept($0)) }
        return true
    }

    /// Why an open store is replaced.
    private enum Replacement {
        /// Another folder or another index has taken the place of the former one.
        case exchanged
        /// The index is damaged.
        case damaged
        /// SQLite has called the index damaged, and a check does not confirm that.
        case doubtful
        /// The store is read-only, and its folder is not any more.
        case writable

        var words: String {
            switch self {
            case .exchanged: "the folder or its index was replaced"
            case .damaged: "the index is damaged"
            case .doubtful: "the index seemed damaged, as it does while the disk fails to read"
            case .writable: "the folder can be written again"
            }
        }
    }

    /// Whether an index that SQLite has called damaged is set aside, with all that it tells of originals. If it is sound or cannot
    /// be read now, it is only opened anew, `mostDoubts` times at most.
    private func mustSetAside(_ store: DiskStore) -> Bool {
        // Reading a large index takes long, so the call is not watched.
        look.withLock { $0.end() }
        return store.provesDamage() || doubts.add(1, ordering: .relaxed).newValue > Self.mostDoubts
    }

    private func replace(because reason: Replacement) {
        look.withLock { $0.end() }
        state.withLock { $0.isReplacing = true }
        defer { state.withLock { $0.isReplacing = false } }
        let former = closeStore(because: reason.words)
        released(.all)
        report(.reopening(reason.words))
        counters.add(counters.reopened)
        // The check of an index and the closing take time, in which a mount may come or go: as when a disk fails for a moment.
        let isExchanged = reason == .exchanged || former?.isInPlace == false
        if isExchanged { noteExchange() }
        // The damage is in the former folder's index.
        open(settingAside: reason == .damaged && !isExchanged)
    }

    /// Notes that another folder has taken the place of the former one.
    private func noteExchange() {
        let hasPurged = state.withLock { state in
            state.wasReplaced = true
            return state.hasPurged
        }
        // The other one may be older than a purge that was carried out in the former one.
        if hasPurged { notePurgeMissed() }
    }

    private func open(settingAside: Bool) {
        // Reading a large index takes long, so the call is not watched.
        look.withLock { $0.end() }
        do throws(DiskStoreError) {
            let store = try DiskStore(
                configuration, settingAside: settingAside, counters: counters, now: now, released: released)
            if let path = store.setAside { report(.indexSetAside(path)) }
            let ask = isInDoubt.withLock { $0 }
            let mustConfirm = ask() || configuration.confirmsReopened
            let owed = purgesOwed
            if mustConfirm || owed.missed > 0 || owed.unsettled > 0 { makeUp(for: owed, in: store) }
            state.withLock { $0.store = store }
            unread.withLock { $0.reset() }
            let tell = openings.withLock { $0 }
            tell(store)
            store.startSweep { [report] in report(.swept($0)) }
            store.startScrub()
        } catch {
            state.withLock { $0.absence = error.description }
            if !settingAside, mustSetAside(after: error) { open(settingAside: true) }
        }
    }

    /// Whether an index that could not be opened is set aside, because a part of it could not be read at several openings in a
    /// row, while the disk read other files.
    private func mustSetAside(after error: DiskStoreError) -> Bool {
        look.withLock { $0.begin() }
        defer { look.withLock { $0.end() } }
        return unread.withLock { unread in
            unread.mustSetAside(after: error) { ReadTrial.succeeds(in: configuration.folder) }
        }
    }

    /// - Returns: the folder of the store; nil if there was none.
    @discardableResult
    func closeStore(because reason: String) -> CacheFolder? {
        let store = state.withLock { state in
            state.absence = reason
            state.closing = state.store.take()
            return state.closing
        }
        store?.close()
        state.withLock { $0.closing = nil }
        return store?.folder
    }
}
