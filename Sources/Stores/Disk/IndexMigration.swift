// SPDX-License-Identifier: Apache-2.0

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
