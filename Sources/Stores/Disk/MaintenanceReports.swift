// SPDX-License-Identifier: Apache-2.0

package struct VerifyReport: Sendable, Hashable, Codable {
    /// Files to check, counted at the start.
    package var total = 0
    /// Files checked.
    package var checked = 0
    /// Bytes read.
    package var bytes = 0
    /// Files with a wrong length, footer or checksum, which were removed.
    package var damaged = 0
    /// Entries without a file, which were removed.
    package var missing = 0
    /// Files that could not be opened, because descriptors or memory were lacking, the disk failed, or the folder must not be
    /// read.
    package var skipped = 0

    package init() {}
}

/// The progress of a garbage collection.
package struct CollectReport: Sendable, Hashable, Codable {
    /// The collection's steps, in order.
    package enum Stage: String, Sendable, Hashable, Codable { case evicting, sweeping, compacting, done }

    /// The current step.
    package var stage = Stage.evicting
    /// Entries evicted to reach the low water.
    package var evicted = 0
    /// Files and entries compared.
    package var checked = 0
    /// Files without a row, which were removed.
    package var orphans = 0
    /// Rows without a file, which were removed.
    package var dropped = 0
    /// Bytes of the index before compaction.
    package var indexBytesBefore = 0
    /// Bytes of the index after compaction.
    package var indexBytesAfter = 0

    package init() {}
}
