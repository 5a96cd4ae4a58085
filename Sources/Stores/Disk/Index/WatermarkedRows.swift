// SPDX-License-Identifier: Apache-2.0

/// The table of renditions that bear a watermark from an origin, by which a purge of the watermark finds them.
///
/// Earlier versions ignore the table: rows of renditions that they remove stay until `LostWatermarks` removes them. Such a row
/// does no harm meanwhile, because a rendition of that key bears the same watermark.
enum WatermarkedRows {
    /// SQL that adds a row: the rendition's key, the first 8 bytes of the watermark's digest, and the beginning of its URL.
    static let note = "INSERT OR REPLACE INTO watermarked VALUES (?1,?2,?3)"
    /// SQL that removes the row of a rendition, if there is one.
    static let end = "DELETE FROM watermarked WHERE key=?1"
    /// SQL that takes the parameters of `note` or of `end` and does nothing, for an index without the table.
    static let nothing = "SELECT ?1, ?2, ?3 WHERE 0"

    static let ofWatermarkSQL = "SELECT key FROM watermarked WHERE original = ?1"
    static let madeForSQL = "SELECT key, original FROM watermarked WHERE url = ?1"

    /// - Parameter ranges: the condition for the URLs.
    static func madeBelowSQL(_ ranges: String) -> String {
        "SELECT key, original FROM watermarked WHERE \(ranges)"
    }

    /// False for an index of an earlier version that cannot be written, or for which the disk is full.
    static func exist(in database: borrowing Database) throws(SQLiteError) -> Bool {
        try database.integer("SELECT 1 FROM sqlite_schema WHERE name='watermarked_by_url'") != nil
    }

    /// The keys that follow a key, in order.
    static func keys(
        after key: [UInt8], most: Int, in database: borrowing Database
    ) throws(SQLiteError) -> [[UInt8]] {
        let next = try database.prepare("SELECT key FROM watermarked WHERE key > ?1 ORDER BY key LIMIT ?2")
        next.bind(1, key)
        next.bind(2, most)
        return try next.rows { Array($0.blob(0)) }
    }

    /// Removes those of the rows whose renditions have no row, in one transaction.
    /// - Parameter note: called before each step.
    static func removeLost(
        _ keys: [[UInt8]], from database: borrowing Database, beforeEach note: () -> Void
    ) throws(SQLiteError) {
        let row = try database.prepare(end + " AND NOT EXISTS (SELECT 1 FROM renditions WHERE key=?1)")
        note()
        try database.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            for key in keys {
                note()
                row.bind(1, key)
                try row.run()
            }
            note()
            try database.execute("COMMIT")
        } catch {
            try? database.execute("ROLLBACK")
            throw error
        }
    }

    /// Makes the table if it is missing. On a full disk it stays missing until a later opening, because only the writer's
    /// evictions make room again.
    static func make(in database: borrowing Database) throws(SQLiteError) {
        if try exist(in: database) { return }
        try database.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            try database.execute(
                """
                CREATE TABLE watermarked (
                  key BLOB PRIMARY KEY,         -- of the rendition
                  original INTEGER NOT NULL,    -- first 8 bytes of the watermark's digest
                  url TEXT NOT NULL             -- the beginning of the watermark's URL
                ) WITHOUT ROWID;
                CREATE INDEX watermarked_by_original ON watermarked (original);
                CREATE INDEX watermarked_by_url ON watermarked (url);
                COMMIT
                """)
        } catch {
            try? database.execute("ROLLBACK")
            guard error.kind == .diskFull else { throw error }
        }
    }
}
