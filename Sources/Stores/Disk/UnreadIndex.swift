// SPDX-License-Identifier: Apache-2.0

/// Counts the openings in a row that have failed because a part of the index cannot be read, although the disk reads other files.
/// Such a part (a bad sector) seldom comes back, so after a few tries the index must be set aside.
///
/// While the disk fails to read anything, an opening says nothing about the index and does not count.
struct UnreadIndex {
    /// Failed openings after which the index is set aside.
    static let most = DiskCache.mostDoubts

    private var openings = 0

    /// Forgets all openings, because one has succeeded.
    mutating func reset() { openings = 0 }

    /// Notes why an opening has failed.
    /// - Parameter diskReads: true if the disk reads other files; called only if the index could not be read.
    /// - Returns: true if the index must be set aside now.
    mutating func mustSetAside(after error: DiskStoreError, diskReads: () -> Bool) -> Bool {
        guard case .index(let reason) = error, reason.isOfReading else {
            openings = 0
            return false
        }
        if diskReads() { openings += 1 }
        guard openings >= Self.most else { return false }
        openings = 0
        return true
    }
}
