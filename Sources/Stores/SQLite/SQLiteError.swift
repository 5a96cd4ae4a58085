// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// An error of SQLite (https://sqlite.org/rescode.html).
package struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Errors by the reaction they need.
    package enum Kind: Sendable, Hashable {
        /// The file is not a database, or its pages contradict each other.
        case damaged
        case diskFull
        case readOnly
        /// The file cannot be opened, read or written.
        case io
        /// Another process holds a lock for longer than the timeout.
        case busy
        case other
    }

    let kind: Kind
    /// SQLite's extended result code.
    let code: Int32
    let message: String

    init(code: Int32, message: String) {
        self.code = code
        self.message = message
        kind =
            switch code & 0xFF {
            // The file by which connections share what they know of the log found no room.
            case SQLITE_IOERR where code == Self.noSharedMemory: .diskFull
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: .damaged
            case SQLITE_FULL: .diskFull
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .readOnly
            case SQLITE_IOERR, SQLITE_CANTOPEN: .io
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            default: .other
            }
    }

    /// True if the file could be opened, and the disk failed to read a part of it. Other failures to read
    /// (SQLITE_IOERR_READ) may be a lack of memory.
    var isOfReading: Bool { code == Self.badSector }

    /// SQLITE_IOERR_SHMSIZE.
    private static let noSharedMemory: Int32 = SQLITE_IOERR | 19 << 8

    /// SQLITE_IOERR_CORRUPTFS, SQLite's code for a read that ends with EIO. Swift does not import macros of several parts.
    static let badSector: Int32 = SQLITE_IOERR | 33 << 8

    package var description: String { "SQLite \(code): \(message)" }
}
