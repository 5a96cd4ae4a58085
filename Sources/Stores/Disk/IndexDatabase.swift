// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import HTTPCaching
internal import HTTPSemantics
internal import ImageModel

/// The index on disk: what `Catalogue` holds, as rows that anybody can read with sqlite3.
///
/// WAL with synchronous=NORMAL: a killed process loses nothing that was committed, a power cut at most the last
/// commits. Neither can make an answer wrong, because a file is believed only after its checksum.
///
/// **Isolation:** its connection's: made by who opens the store, then the writer thread's alone.
struct IndexDatabase: ~Copyable {
    /// "Pict" in the database's header (https://sqlite.org/fileformat2.html#application_id).
    private static let applicationID: Int64 = 0x5069_6374
    private static let schemaVersion: Int64 = 2

    /// Why an index cannot be used and has to be set aside.
    enum Unusable: Error {
        case damaged(SQLiteError)
        /// Somebody else's database, or a later version's.
        case foreign
        case failing(SQLiteError)

        init(_ error: SQLiteError) { self = error.kind == .damaged ? .damaged(error) : .failing(error) }
    }

    private let database: Database
    private let statements: IndexStatements

    /// Opens or makes the index and fills the catalogue from it.
    init(path: String, loadingInto catalogue: Catalogue) throws(Unusable) {
        do throws(SQLiteError) {
            let database = try Database(path: path, .readWrite)
            try Self.prepareFile(database)
            try Self.load(database, into: catalogue)
            statements = try IndexStatements(database)
            self.database = database
        } catch {
            throw error.code == Self.foreignCode ? .foreign : Unusable(error)
        }
    }

    /// Makes what a new database lacks, and refuses one that is not ours.
    private static func prepareFile(_ database: borrowing Database) throws(SQLiteError) {
        let isNew = try database.integer("SELECT count(*) FROM sqlite_schema") == 0
        if !isNew {
            let application = try database.integer("PRAGMA application_id")
            let version = try database.integer("PRAGMA user_version")
            guard application == applicationID, (1...schemaVersion).contains(version ?? 0) else {
                throw SQLiteError(code: foreignCode, message: "not this version's index")
            }
        }
        try database.execute(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16384")
        if isNew { try database.execute(IndexSchema.sql(application: applicationID, version: schemaVersion)) }
        try checkAfterUncleanStop(database)
        // Only what is known to be sound is worth migrating.
        let version = try database.integer("PRAGMA user_version") ?? schemaVersion
        if version < schemaVersion {
            try IndexMigration.migrate(database, from: version, to: schemaVersion)
        }
    }

    /// No result code of SQLite's.
    private static let foreignCode: Int32 = -1

    /// Reads the whole database if the last writer did not say good-bye, and takes the mark away until we do.
    private static func checkAfterUncleanStop(_ database: borrowing Database) throws(SQLiteError) {
        let isClean = try database.integer("SELECT value FROM state WHERE name='clean'") == 1
        if !isClean, try database.text("PRAGMA quick_check(1)") != "ok" {
            // 11 = SQLITE_CORRUPT
            throw SQLiteError(code: 11, message: "quick_check failed")
        }
        try database.execute("UPDATE state SET value=0 WHERE name='clean'")
    }

    // MARK: Reading at start.

    /// Fills the catalogue; rows that make no sense are left out.
    private static func load(_ database: borrowing Database, into catalogue: Catalogue) throws(SQLiteError) {
        let originals = try database.prepare(
            """
            SELECT key, digest, length, format, width, height, pages, orientation, alpha, accessed, last_modified,
            response_time, initial_age, lifetime, client_lifetime, stale_while_revalidate, stale_if_error, flags
            FROM originals
            """)
        while try originals.step() {
            guard let name = originals.name(), let file = originals.file(keyColumn: 1) else { continue }
            catalogue.originals.hold(file, sharing: true)
            _ = catalogue.put(name)
        }
        let renditions = try database.prepare(
            "SELECT key, key, length, format, width, height, pages, 1, 0, accessed FROM renditions")
        while try renditions.step() {
            guard let file = renditions.file(keyColumn: 1) else { continue }
            catalogue.renditions.hold(file, sharing: false)
        }
    }

    // MARK: Writing.

    /// All of them or, with an error, none.
    borrowing func apply(_ changes: [Change]) throws(SQLiteError) {
        try database.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            for change in changes { try statements.apply(change.row) }
            try database.execute("COMMIT")
        } catch {
            try? database.execute("ROLLBACK")
            throw error
        }
    }

    /// Rewrites the file if a twentieth of its pages is free, which takes as much room on the disk again for that time,
    /// and empties the log. Changes wait in the queue meanwhile; nobody waits for them.
    borrowing func compact() throws(SQLiteError) {
        let free = try database.integer("PRAGMA freelist_count") ?? 0
        let pages = try database.integer("PRAGMA page_count") ?? 0
        if free * 20 > pages { try database.execute("VACUUM") }
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// The last thing before the connection closes.
    borrowing func markClean() throws(SQLiteError) {
        try database.execute("UPDATE state SET value=1 WHERE name='clean'; PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
