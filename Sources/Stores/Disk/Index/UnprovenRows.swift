// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

/// The marks of originals whose answers were in doubt when their rows were committed: on a reused connection, an answer may belong
/// to another URL's request until silence has proved that it does not (response desynchronisation).
///
/// A mark is a row of `state` that names the original. It is written in the same transaction as the original's row and removed
/// after the proof. A mark that is found when the index is opened was left by a process that was killed before the proof, which is
/// not possible any more. The mark stays until `DiskStore.settle`. Earlier versions ignore marks.
enum UnprovenRows {
    /// The beginning of a mark's name; the key as text follows.
    private static let prefix = "unproven "
    private static let isMark = "name GLOB '\(prefix)*'"
    /// SQL that adds or removes a mark; its parameter is the key as text.
    static let note = "INSERT OR REPLACE INTO state VALUES ('\(prefix)' || ?1, 1)"
    static let end = "DELETE FROM state WHERE name = '\(prefix)' || ?1"
    private static let marked = "SELECT substr(name, \(prefix.utf8.count + 1)) FROM state WHERE \(isMark)"

    /// SQL that is true for the marked originals; nil if there are none.
    static func condition(_ database: borrowing Database) throws(SQLiteError) -> String? {
        try database.integer("SELECT 1 FROM state WHERE \(isMark)") == nil ? nil : "url IN (\(marked))"
    }

    /// The marked originals.
    static func keys(_ database: borrowing Database) throws(SQLiteError) -> [OriginalKey] {
        try database.prepare(marked).rows { OriginalKey(text: $0.text(0)) }
    }

    /// The marked originals of an index that must be set aside; empty if it cannot be read.
    static func keys(inUnusable path: String) -> [OriginalKey] {
        guard let database = try? Database(path: path, .readOnly) else { return [] }
        return (try? keys(database)) ?? []
    }

    /// Marks originals that another index has marked, because the shared store may have their doubtful bytes.
    static func adopt(_ keys: [OriginalKey], into database: borrowing Database) throws(SQLiteError) {
        guard !keys.isEmpty else { return }
        let insert = try database.prepare(note)
        for key in keys {
            insert.bind(1, key.text)
            try insert.run()
        }
    }

    /// Forgets the marked originals, and returns them. Their files become orphans, and their renditions can only be found through
    /// the same bytes.
    ///
    /// On a full disk their rows stay until they are settled, because only the writer's evictions make room again. `IndexLoader`
    /// leaves them out.
    static func forget(_ database: borrowing Database) throws(SQLiteError) -> [OriginalKey] {
        let keys = try keys(database)
        guard !keys.isEmpty else { return [] }
        try database.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            try database.execute(
                """
                DELETE FROM tags WHERE key IN (SELECT key FROM originals WHERE url IN (\(marked)));
                DELETE FROM originals WHERE url IN (\(marked));
                COMMIT
                """)
        } catch {
            try? database.execute("ROLLBACK")
            guard error.kind == .diskFull else { throw error }
        }
        return keys
    }
}
