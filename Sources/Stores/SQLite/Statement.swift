// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// A prepared statement. Parameters count from 1, columns from 0, as in SQLite.
///
/// **Isolation:** its connection's.
struct Statement: ~Copyable, @unchecked Sendable {
    private let handle: OpaquePointer
    private let connection: OpaquePointer

    init(_ handle: OpaquePointer, of connection: OpaquePointer) {
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    // MARK: Parameters. Binding fails only for a wrong index or without memory; `step` reports that.

    borrowing func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }
    borrowing func bind(_ index: Int32, _ value: Int) { bind(index, Int64(value)) }
    borrowing func bind(_ index: Int32, _ value: UInt32) { bind(index, Int64(value)) }
    borrowing func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

    borrowing func bind(_ index: Int32, _ value: String) {
        // `withCString` always gives an address, while SQLite would take a missing one for NULL.
        // Cannot trap: a text is a part of a head, whose size the settings limit.
        value.withCString { _ = pictor_bind_text(handle, index, $0, Int32(value.utf8.count)) }
    }

    borrowing func bind(_ index: Int32, blob: UnsafeRawBufferPointer) {
        // Cannot trap: blobs are keys and digests.
        _ = pictor_bind_blob(handle, index, blob.baseAddress, Int32(blob.count))
    }

    // MARK: Running.

    /// Advances to the next row; false at the end.
    borrowing func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let error = Database.error(connection)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Runs to the end, and resets the statement.
    borrowing func run() throws(SQLiteError) {
        while try step() {}
        reset()
    }

    /// Runs to the end, resets the statement, and returns what `read` makes of each row; rows for which it is nil are left out.
    borrowing func rows<Row>(
        _ read: (borrowing Statement) -> Row?
    ) throws(SQLiteError) -> [Row] {
        var rows: [Row] = []
        while try step() {
            if let row = read(self) { rows.append(row) }
        }
        reset()
        return rows
    }

    borrowing func reset() { sqlite3_reset(handle) }

    // MARK: Columns of the present row.

    borrowing func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    borrowing func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    borrowing func text(_ column: Int32) -> String {
        guard let text = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    /// Valid until the next step.
    borrowing func blob(_ column: Int32) -> UnsafeRawBufferPointer {
        let bytes = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column)))
    }
}
