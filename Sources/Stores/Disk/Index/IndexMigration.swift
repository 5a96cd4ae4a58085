// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

/// Migrates an index of an earlier version, completely or not at all.
enum IndexMigration {
    static func migrate(_ database: borrowing Database, from version: Int64, to current: Int64)
        throws(SQLiteError)
    {
        guard version == 1 else { return }
        try database.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            try database.execute(IndexSchema.fromVersion1)
            try fillTags(database)
            try database.execute("PRAGMA user_version=\(current); COMMIT")
        } catch {
            try? database.execute("ROLLBACK")
            throw error
        }
    }

    /// Headers that were read before the parser learned more of a format, and would stay for as long as the bytes do.
    private enum HeaderEdition {
        /// 2: a TIFF's largest page and odd samples, a GIF's frames that leave something free.
        static let current: Int64 = 2
        static let reread: [ImageFormat] = [.tiff, .gif]
    }

    /// Formats of originals whose header an older version has read otherwise than this one would, as SQL's list; empty once
    /// these are forgotten.
    static func outdatedFormats(_ database: borrowing Database) throws(SQLiteError) -> String {
        let edition = try database.integer("SELECT value FROM state WHERE name='headers'") ?? 1
        guard edition < HeaderEdition.current else { return "" }
        return HeaderEdition.reread.map { "\($0.rawValue)" }.joined(separator: ",")
    }

    /// Forgets originals of these formats. They are fetched once more; their renditions stay.
    ///
    /// On a full disk their rows stay until a later opening, because only the writer's evictions make room again. `IndexLoader`
    /// leaves them out.
    static func forgetOldHeaders(_ database: borrowing Database) throws(SQLiteError) {
        let formats = try outdatedFormats(database)
        guard !formats.isEmpty else { return }
        try database.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            try database.execute(
                """
                DELETE FROM tags WHERE key IN (SELECT key FROM originals WHERE format IN (\(formats)));
                DELETE FROM originals WHERE format IN (\(formats));
                INSERT OR REPLACE INTO state VALUES ('headers', \(HeaderEdition.current));
                COMMIT
                """)
        } catch {
            try? database.execute("ROLLBACK")
            guard error.kind == .diskFull else { throw error }
        }
    }

    private static func fillTags(_ database: borrowing Database) throws(SQLiteError) {
        let tags = try TagStatements(database)
        let tagged = try database.prepare(
            """
            SELECT key, fields FROM originals
            WHERE instr(fields, 'cache-tag: ') OR instr(fields, 'surrogate-key: ')
            """)
        while try tagged.step() {
            if let key = tagged.nameKey(0) { try tags.replace(for: key, by: tagged.text(1)) }
        }
    }
}
