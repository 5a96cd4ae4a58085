// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import CLinux
internal import Glibc
internal import HTTPSemantics
internal import SourceURLs

/// The index on disk: the contents of `Catalogue` as rows, readable with sqlite3.
///
/// WAL with synchronous=NORMAL: a killed process loses no committed change, and a power cut at most the last commits. Neither can
/// lead to a wrong answer, because a file is served only after its checksum was verified.
///
/// **Isolation:** its connection's: first the opening thread's, then only the writer's.
struct IndexDatabase: ~Copyable {
    /// "Pict" in the database's header (https://sqlite.org/fileformat2.html#application_id).
    private static let applicationID: Int64 = 0x5069_6374
    private static let schemaVersion: Int64 = 3
    /// How many milliseconds opening waits for another program's lock; after that, the index is opened read-only for the time
    /// being.
    private static let busyTimeout: Int32 = 250

    /// Reasons why an index cannot be used.
    enum Unusable: Error {
        /// The index must be set aside.
        case damaged(SQLiteError)
        /// The file is another program's database, or a later version's; it must be set aside.
        case foreign(SQLiteError)
        /// The failure may pass.
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

    /// True until the first sweep of an index has ended or a hard purge has come, even if the index is opened several times
    /// before.
    let adopts: Bool
    /// True if the index was last closed properly.
    let wasClean: Bool
    /// Originals forgotten at this opening, see `UnprovenRows`.
    let unproven: [OriginalKey]
    private let database: Database
    private let statements: IndexStatements
    /// How many milliseconds to wait for another program's lock.
    private let lockTimeout: Int32

    /// Opens or makes the index.
    ///
    /// - Parameters:
    ///   - lockTimeout: how many milliseconds the open index waits for another program's lock.
    ///   - unproven: originals that were marked in the index before this one, see `UnprovenRows`.
    init(path: String, lockTimeout: Int32, unproven former: [OriginalKey] = []) throws(Unusable) {
        do throws(SQLiteError) {
            let database = try Database(path: path, .readWrite, busyTimeout: Self.busyTimeout)
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
            try WatermarkedRows.make(in: database)
            try IndexMigration.forgetOldHeaders(database)
            try UnprovenRows.adopt(former, into: database)
            let unproven = try UnprovenRows.forget(database)
            // The mark is removed until this process closes the index properly.
            let wasClean = try database.integer("SELECT value FROM state WHERE name='clean'") == 1
            if wasClean { try Self.markOpen(database) }
            let adopts = try database.integer("SELECT value FROM state WHERE name='adopts'") == 1
            statements = try IndexStatements(database)
            database.wait(milliseconds: lockTimeout)
            (self.adopts, self.wasClean, self.unproven) = (adopts, wasClean, unproven)
            self.lockTimeout = lockTimeout
            self.database = database
        } catch {
            throw Unusable(error)
        }
    }

    /// On a full disk the mark stays, because only the writer's evictions make room again. If the process is then killed, files
    /// without a row stay until a later sweep.
    private static func markOpen(_ database: borrowing Database) throws(SQLiteError) {
        do throws(SQLiteError) {
            try database.execute("UPDATE state SET value=0 WHERE name='clean'")
        } catch {
            guard error.kind == .diskFull else { throw error }
        }
    }

    /// How to read an index that cannot be written to. SQLite reads it through its WAL if it can map the WAL's index; otherwise
    /// it only sees everything if the WAL is empty.
    static func access(toRead path: String) throws(Unusable) -> Database.Access {
        do throws(SQLiteError) {
            do throws(SQLiteError) {
                try mustBeOurs(try Database(path: path, .readOnly, busyTimeout: busyTimeout))
                return .readOnly
            } catch {
                var status = stat()
                let hasChanges = stat(path + "-wal", &status) == 0 && status.st_size > 0
                guard [.io, .readOnly, .diskFull].contains(error.kind), !hasChanges else { throw error }
            }
            try mustBeOurs(try Database(path: path, .immutable))
            return .immutable
        } catch {
            throw Unusable(error)
        }
    }

    /// True if no other process holds the writer's lock.
    static func isWritable(_ path: String) -> Bool {
        guard let database = try? Database(path: path, .readWrite, busyTimeout: 0) else { return false }
        return (try? database.execute("BEGIN IMMEDIATE; ROLLBACK")) != nil
    }

    /// Begins a transaction and rolls it back, so that an existing index stays unchanged.
    /// - Throws: if the index cannot be written, or is not one of Pictor's.
    static func tryToWrite(_ path: String) throws(Unusable) {
        do throws(SQLiteError) {
            let database = try Database(path: path, .readWrite, busyTimeout: busyTimeout)
            try mustBeOurs(database)
            try database.execute("BEGIN IMMEDIATE; ROLLBACK")
        } catch {
            throw Unusable(error)
        }
    }

    private static func mustBeOurs(_ database: borrowing Database) throws(SQLiteError) {
        let application = try database.integer("PRAGMA application_id")
        let version = try database.integer("PRAGMA user_version")
        guard application == applicationID, (1...schemaVersion).contains(version ?? 0) else {
            throw SQLiteError(code: foreignCode, message: "not this version's index")
        }
    }

    /// Not a result code of SQLite.
    private static let foreignCode: Int32 = -1

    // MARK: Writing.

    /// Applies all changes in one transaction, or none.
    /// - Parameter note: called before each step of the transaction, because every step may wait for the disk.
    /// - Throws: if the transaction fails.
    borrowing func apply(_ changes: [Change], beforeEach note: () -> Void) throws(SQLiteError) {
        note()
        try database.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            for change in changes {
                note()
                try statements.apply(change.row)
            }
            note()
            try database.execute("COMMIT")
        } catch {
            try? database.execute("ROLLBACK")
            throw error
        }
    }

    /// Moves the log's rows into the index and gives the log's room back to the file system, unless another connection is reading.
    /// SQLite itself begins with that at a thousand pages, and never shortens the log.
    borrowing func emptyLog() throws(SQLiteError) {
        database.wait(milliseconds: 0)
        defer { database.wait(milliseconds: lockTimeout) }
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Removes some of the rows that earlier versions have left behind, see `LostWatermarks`.
    borrowing func remove(
        _ lost: inout LostWatermarks, unless isHeld: (Digest) -> Bool, beforeEach note: () -> Void
    ) throws(SQLiteError) {
        try lost.removeNext(from: database, unless: isHeld, beforeEach: note)
    }

    /// Rewrites the file if a twentieth of its pages is free, and empties the log. For a moment this needs as much room again on
    /// the disk. Changes wait in the queue meanwhile, but no request waits for them.
    borrowing func compact() throws(SQLiteError) {
        let free = try database.integer("PRAGMA freelist_count") ?? 0
        let pages = try database.integer("PRAGMA page_count") ?? 0
        do throws(SQLiteError) {
            if free * 20 > pages { try database.execute("VACUUM") }
        } catch {
            // The file stays as large as it is.
            guard error.kind == .diskFull else { throw error }
        }
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Marks the index as closed properly; the last statement before the connection closes.
    borrowing func markClean() throws(SQLiteError) {
        try database.execute("UPDATE state SET value=1 WHERE name='clean'; PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
