// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import Glibc

/// One SQLite connection, closed by `deinit`.
///
/// **Isolation:** opened with NOMUTEX, so only one thread may use it at a time. `@unchecked Sendable` because it may move between
/// threads but cannot be shared, as it is not copyable.
struct Database: ~Copyable, @unchecked Sendable {
    enum Access: Sendable {
        case readWrite
        case readOnly
        /// For a database, including its WAL, that nobody can write to: it is read without locks and without checks for changes
        /// (https://sqlite.org/uri.html#uriimmutable).
        case immutable
    }

    private let handle: OpaquePointer

    /// - Parameters:
    ///   - path: a path without symbolic links. Links are refused because an attacker with the rights of the daemon's user could put
    ///     one in the place of the file while root's command opens it (https://sqlite.org/c3ref/open.html, SQLITE_OPEN_NOFOLLOW).
    ///   - busyTimeout: how many milliseconds to wait for a lock; only a person with the sqlite3 tool can hold one.
    init(path: String, _ access: Access, busyTimeout: Int32 = 2_000) throws(SQLiteError) {
        let usual = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW
        let (name, flags) =
            switch access {
            case .readWrite: (path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
            case .readOnly: (path, SQLITE_OPEN_READONLY)
            case .immutable: (Self.immutableURI(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
            }
        if access == .readWrite { Self.makePrivately(path) }
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(name, &handle, flags | usual, nil)
        guard code == SQLITE_OK, let handle else {
            let systemCode = errno
            let message = String(cString: sqlite3_errstr(code))
            sqlite3_close_v2(handle)
            throw SQLiteError(code: code, message: message, systemCode: systemCode)
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, busyTimeout)
        // Others may have written to the database, so functions in its schema may only compute
        // (https://sqlite.org/security.html).
        sqlite3_exec(handle, "PRAGMA trusted_schema=OFF", nil, nil, nil)
    }

    /// Makes an empty file, which is an empty database, that only its owner can read. SQLite would make it readable for
    /// everybody, and gives the log and the shared memory the mode of their database. An existing file is not opened, because
    /// closing it would release the locks of this process's connections.
    private static func makePrivately(_ path: String) {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 { Glibc.close(file) }
    }

    /// The path as a URI, with all special characters escaped.
    private static func immutableURI(_ path: String) -> String {
        path.utf8.reduce(into: "file:") { uri, byte in
            let isPlain = byte != 0x25 && byte != 0x3F && byte != 0x23 && byte < 0x80
            uri +=
                isPlain ? String(UnicodeScalar(byte)) : "%" + String(Int(byte) + 0x100, radix: 16).suffix(2)
        } + "?immutable=1"
    }

    /// Gives SQLite a folder for temporary files, such as the copy with which VACUUM packs a large database. Only the first call
    /// in a process has an effect.
    static func lend(_ folder: String) { pictor_lend_temporary_folder(folder) }

    /// Sets how long to wait for another program's lock.
    borrowing func wait(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

    // The v2 form defers closing until the last statement is finalised.
    deinit { sqlite3_close_v2(handle) }

    /// Runs statements whose results are ignored.
    borrowing func execute(_ sql: String) throws(SQLiteError) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw Self.error(handle) }
    }

    /// Prepares a statement for repeated use.
    borrowing func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw Self.error(handle) }
        return Statement(statement, of: handle)
    }

    /// The first column of the first row; nil without a row.
    borrowing func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : nil
    }

    borrowing func text(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.text(0) : nil
    }

    /// The error of the call that has just failed. Nothing may come in between, because errno is a part of it: SQLite's own copy
    /// (sqlite3_system_errno) lacks that of a commit.
    static func error(_ handle: OpaquePointer) -> SQLiteError {
        let systemCode = errno
        return SQLiteError(
            code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)),
            systemCode: systemCode)
    }
}
