// SPDX-License-Identifier: Apache-2.0

/// The store that a disk cache has at present, and what keeps it from being asked.
struct CurrentStore: Sendable {
    var store: DiskStore?
    /// The reason, while there is no store.
    var absence = ""
    /// The former store, while its closing waits for its calls.
    var closing: DiskStore?
    /// True while the store is closed, for good or to open another in its place; that is told by itself.
    var isReplacing = false
    /// Milliseconds that the longest call has lasted.
    var longestCall = 0
    /// True while a call lasts for too long.
    var hangs = false
    /// Purges that the disk has not got, because it was away; until they are made up for, nothing is answered from it.
    var missedPurges = 0
    /// Purges that this store has carried out in memory alone, because it cannot write: one that is opened in its place has not
    /// got them.
    var unsettledPurges = 0
    /// True once a store has carried out a purge, or missed one: another folder, or an index of before, has not got it.
    var hasPurged = false
    /// True once another folder, or another index, was in the place of one that had been opened: that one may come back.
    var wasReplaced = false

    /// True if no purge is left to be made up for, in this store or the next.
    var hasAllPurges: Bool { missedPurges == 0 && unsettledPurges == 0 }

    /// The store, unless it must not be asked.
    var answering: DiskStore? { missedPurges > 0 ? nil : reachable }
    /// The store, unless calls to it hang.
    var reachable: DiskStore? { hangs ? nil : store }
    /// True if a change of health is an event of its own, and not a part of a replacement.
    var isToBeTold: Bool { hangs || !isReplacing }

    /// The reason why nothing is answered from a store; nil if one answers.
    var obstacle: String? {
        if store == nil { return absence }
        if hangs { return "the disk hangs, a call to it has not returned for \(longestCall / 1_000) s" }
        return missedPurges > 0 ? "purges are made up for that it has missed" : nil
    }
}
