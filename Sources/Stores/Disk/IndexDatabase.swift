// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import HTTPCaching
internal import HTTPSemantics

/// The index on disk: what `Catalogue` holds, as rows that sqlite3 reads.
///
/// WAL with synchronous=NORMAL: a killed process loses nothing that was committed, a power cut at most the last
/// commits. Neither can make an answer wrong, because a file is believed only after its checksum.
///
/// **Isolation:** its connection's: made by who opens the store, then the writer thread's alone.
struct IndexDatabase: ~Copyable {
    /// "Pict" in the database's header (https://sqlite.org/fileformat2.html#application_id).
    private static let applicationID: Int64 = 0x5069_6374
    private static let schemaVersion: Int64 = 2
    /// Milliseconds that opening waits for somebody's lock. Longer, and the index is only read for the time being.
    private static let patience: Int32 = 250

    /// Why an index cannot be used.
    enum Unusable: Error {
        /// To be set aside.
        case damaged(SQLiteError)
        /// Somebody else's database, or a later version's; to be set aside.
        case foreign(SQLiteError)
        /// It may be better later.
        case failing(SQLiteError)

        init(_ error: SQLiteError) {
            self =
                error.code == IndexDatabase.foreignCode
                ? .foreign(error) : error.kind == .damaged ? .damaged(error) : .failing(error)
        }

        var reason: SQLiteError {
            switch self {
            case .damaged(let error), .foreign(let error), .failing(let error): error
            }
        }
    }

    /// There was none before.
    let isNew: Bool
    /// The last writer said good-bye.
    let wasClean: Bool
    private let database: Database
    private let statements: IndexStatements

    /// Opens or makes the index.
    init(path: String) throws(Unusable) {
        do throws(SQLiteError) {
            let database = try Database(path: path, .readWrite, patience: Self.patience)
            let isNew = try database.integer("SELECT count(*) FROM sqlite_schema") == 0
            if !isNew { try Self.mustBeOurs(database) }
            try database.execute(
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16384")
            if isNew {
                try database.execute(
                    IndexSchema.sql(application: Self.applicationID, version: Self.schemaVersion))
            }
            let version = try database.integer("PRAGMA user_version") ?? Self.schemaVersion
            if version < Self.schemaVersion {
                try IndexMigration.migrate(database, from: version, to: Self.schemaVersion)
            }
            // Until we say good-bye ourselves.
            let wasClean = try database.integer("SELECT value FROM state WHERE name='clean'") == 1
            try database.execute("UPDATE state SET value=0 WHERE name='clean'")
            statements = try IndexStatements(database)
            database.wait(milliseconds: 2_000)
            (self.isNew, self.wasClean) = (isNew, wasClean)
            self.database = database
        } catch {
            throw Unusable(error)
        }
    }

    /// How an index can be read that cannot be written, if at all. SQLite reads one through its WAL where it can have
    /// the WAL's index; without that, only an empty WAL leaves nothing out.
    static func access(toRead path: String) throws(Unusable) -> Database.Access {
        do throws(SQLiteError) {
            do throws(SQLiteError) {
                try mustBeOurs(try Database(path: path, .readOnly, patience: patience))
                return .readOnly
            } catch {
                var status = stat()
                let hasChanges = stat(path + "-wal", &status) == 0 && status.st_size > 0
                guard error.kind == .io || error.kind == .readOnly, !hasChanges else { throw error }
            }
            try mustBeOurs(try Database(path: path, .immutable))
            return .immutable
        } catch {
            throw Unusable(error)
        }
    }

    /// Whether nobody holds the lock that a writer needs.
    static func isWritable(_ path: String) -> Bool {
        guard let database = try? Database(path: path, .readWrite, patience: 0) else { return false }
        return (try? database.execute("BEGIN IMMEDIATE; ROLLBACK")) != nil
    }

    private static func mustBeOurs(_ database: borrowing Database) throws(SQLiteError) {
        let application = try database.integer("PRAGMA application_id")
        let version = try database.integer("PRAGMA user_version")
        guard application == applicationID, (1...schemaVersion).contains(version ?? 0) else {
            throw SQLiteError(code: foreignCode, message: "not this version's index")
        }
    }

    /// No result code of SQLite's.
    private static let foreignCode: Int32 = -1

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
