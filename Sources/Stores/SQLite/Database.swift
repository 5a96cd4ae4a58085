// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// One connection, closed when it goes.
///
/// **Isolation:** opened with NOMUTEX, so it belongs to whoever holds it, one thread at a time. `@unchecked Sendable`
/// because it may be handed from thread to thread, and cannot be shared: it is not copyable.
struct Database: ~Copyable, @unchecked Sendable {
    enum Access { case readOnly, readWrite }

    private let handle: OpaquePointer

    init(path: String, _ access: Access) throws(SQLiteError) {
        let flags = access == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle else {
            let message = String(cString: sqlite3_errstr(code))
            sqlite3_close_v2(handle)
            throw SQLiteError(code: code, message: message)
        }
        self.handle = handle
        // Milliseconds; only a person with the sqlite3 tool can hold a lock against us.
        sqlite3_busy_timeout(handle, 2_000)
    }

    // The v2 form waits for statements that are still alive.
    deinit { sqlite3_close_v2(handle) }

    /// Runs statements that return nothing of interest.
    borrowing func execute(_ sql: String) throws(SQLiteError) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw Self.error(handle) }
    }

    /// Prepared to be used many times.
    borrowing func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw Self.error(handle) }
        return Statement(statement, of: handle)
    }

    /// The first column of the first row.
    borrowing func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : nil
    }

    borrowing func text(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.text(0) : nil
    }

    static func error(_ handle: OpaquePointer) -> SQLiteError {
        SQLiteError(code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
    }
}
