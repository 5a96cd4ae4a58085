// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

/// The marks of originals whose answers were in doubt when their rows were committed: on a reused connection, an answer may belong
/// to another URL's request until silence has proved that it does not (response desynchronisation).
///
/// A mark is a row of `state` that names the original. It is written in the same transaction as the original's row and removed
/// after the proof. A mark that is found when the index is opened was left by a process that was killed before the proof, which
/// cannot be made up for. It stays until `DiskStore.settle`. Earlier versions, which know no marks, ignore them.
enum UnprovenRows {
    /// Followed by the key as text.
    private static let prefix = "unproven "
    private static let isMark = "name GLOB '\(prefix)*'"
    /// SQL that marks an original, and that takes its mark away; the parameter is its key as text.
    static let note = "INSERT OR REPLACE INTO state VALUES ('\(prefix)' || ?1, 1)"
    static let end = "DELETE FROM state WHERE name = '\(prefix)' || ?1"
    private static let marked = "SELECT substr(name, \(prefix.utf8.count + 1)) FROM state WHERE \(isMark)"

    /// SQL that is true for these originals; nil without any.
    static func condition(_ database: borrowing Database) throws(SQLiteError) -> String? {
        try database.integer("SELECT 1 FROM state WHERE \(isMark)") == nil ? nil : "url IN (\(marked))"
    }

    /// The marked originals.
    static func keys(_ database: borrowing Database) throws(SQLiteError) -> [OriginalKey] {
        try database.prepare(marked).rows { OriginalKey(text: $0.text(0)) }
    }

    /// The marked originals of an index that is to be set aside; none if it cannot be read.
    static func keys(inUnusable path: String) -> [OriginalKey] {
        guard let database = try? Database(path: path, .readOnly) else { return [] }
        return (try? keys(database)) ?? []
    }

    /// Marks originals that another index has marked: the shared store may have what is said to be theirs.
    static func adopt(_ keys: [OriginalKey], into database: borrowing Database) throws(SQLiteError) {
        guard !keys.isEmpty else { return }
        let insert = try database.prepare(note)
        for key in keys {
            insert.bind(1, key.text)
            try insert.run()
        }
    }

    /// Forgets these originals, and tells which they were. Their files are orphans, and what was made of them is found by the same
    /// bytes alone.
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
