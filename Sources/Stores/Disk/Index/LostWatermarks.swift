// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Removes rows of watermarks whose renditions are gone, slice by slice: earlier versions do not know the table, so rows of
/// renditions that they remove stay.
///
/// All rows are looked at once after each opening. No mark in the index spares that: an earlier version would leave it there, and
/// new lost rows beside it.
struct LostWatermarks: Sendable {
    /// The most rows that are looked at in one step: about 100 KB of the index.
    static let slice = 1_000

    /// The key of the last row that was looked at, at first less than all keys; nil at the end.
    private var last: [UInt8]? = [0]

    /// True once all rows were looked at, or a step has failed.
    var isOver: Bool { last == nil }

    /// Looks at the next rows, and removes those that are lost, in one transaction.
    ///
    /// - Parameters:
    ///   - isHeld: true for a rendition that is in memory. It is there before its rows are queued, so a watermark's row is not
    ///     lost while that of its rendition is on its way. Of a rendition that is not in memory the row may still be in the index:
    ///     after a crash it counts again, and so must that of its watermark.
    ///   - note: called before each step of the transaction, because every step may wait for the disk.
    /// - Throws: if the disk fails; then it is over until the next opening.
    mutating func removeNext(
        from database: borrowing Database, unless isHeld: (Digest) -> Bool, beforeEach note: () -> Void
    ) throws(SQLiteError) {
        guard let start = last else { return }
        last = nil
        guard try WatermarkedRows.exist(in: database) else { return }
        note()
        let keys = try WatermarkedRows.keys(after: start, most: Self.slice, in: database)
        let gone = keys.filter { key in Digest(key).map { !isHeld($0) } ?? true }
        if !gone.isEmpty { try WatermarkedRows.removeLost(gone, from: database, beforeEach: note) }
        if keys.count == Self.slice { last = keys.last }
    }
}
