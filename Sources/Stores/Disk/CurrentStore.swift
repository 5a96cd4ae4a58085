// SPDX-License-Identifier: Apache-2.0

/// The store that a disk cache has at present, and the reasons why it must not be asked.
struct CurrentStore: Sendable {
    var store: DiskStore?
    /// Why there is no store.
    var absence = ""
    /// The former store, while its closing waits for its calls to end.
    var closing: DiskStore?
    /// True while the store is being closed, either for good or to open another in its place. A replacement has an event of its
    /// own.
    var isReplacing = false
    /// The time of the last look for calls that hang, in milliseconds of a clock that never goes back.
    var lookedAt = 0
    /// Milliseconds that the longest call has lasted.
    var longestCall = 0
    /// True while a call lasts for too long.
    var hangs = false
    /// Purges that were missed while the disk was away. Until the store has made up for them, nothing is served from it.
    var missedPurges = 0
    /// Purges that this store has carried out only in memory, because it cannot write. A store that is opened in its place would
    /// not know of them.
    var unsettledPurges = 0
    /// True once a store has carried out or missed a purge. Another folder or an older index would not know of it.
    var hasPurged = false
    /// True once a folder or an index was replaced by another one. The former one may come back.
    var wasReplaced = false

    /// True if there are no purges left to make up for, in this store or the next.
    var hasAllPurges: Bool { missedPurges == 0 && unsettledPurges == 0 }

    /// The store, unless it must not be asked.
    var answering: DiskStore? { missedPurges > 0 ? nil : reachable }
    /// The store, unless calls to it hang.
    var reachable: DiskStore? { hangs ? nil : store }
    /// True if a change of health is an event of its own, and not a part of a replacement.
    var isToBeTold: Bool { hangs || !isReplacing }

    /// Why nothing is answered from a store; nil if a store answers.
    var obstacle: String? {
        if store == nil { return absence }
        if hangs { return "the disk hangs, a call to it has not returned for \(longestCall / 1_000) s" }
        return missedPurges > 0 ? "it has missed purges, and makes up for them first" : nil
    }
}
