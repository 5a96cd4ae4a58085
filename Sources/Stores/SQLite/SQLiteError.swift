// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import Glibc

/// An error of SQLite (https://sqlite.org/rescode.html).
package struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Errors by the reaction they need.
    package enum Kind: Sendable, Hashable {
        /// The file is not a database, or its pages contradict each other.
        case damaged
        /// There is no room for a write, or a quota is used up.
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

    /// - Parameter systemCode: errno of the system call that failed; 0 if it is not known.
    init(code: Int32, message: String, systemCode: Int32 = 0) {
        self.code = code
        self.message = message
        kind = Self.isLackOfRoom(code, systemCode) ? .diskFull : Self.kind(of: code)
    }

    private static func kind(of code: Int32) -> Kind {
        switch code & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: .damaged
        case SQLITE_FULL: .diskFull
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .readOnly
        case SQLITE_IOERR, SQLITE_CANTOPEN: .io
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        default: .other
        }
    }

    /// True for lacks of room that SQLite does not call SQLITE_FULL: a quota, and what is not a write to the index or its log.
    private static func isLackOfRoom(_ code: Int32, _ systemCode: Int32) -> Bool {
        guard code & 0xFF == SQLITE_CANTOPEN || writes.contains(code) else { return false }
        return [ENOSPC, EDQUOT].contains(systemCode)
    }

    /// SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC (NFS tells only then) and SQLITE_IOERR_SHMSIZE, for the file by which connections
    /// share what they know of the log.
    private static let writes: [Int32] = [3, 4, 19].map { SQLITE_IOERR | $0 << 8 }

    /// True if the file could be opened, and the disk failed to read a part of it. Other failures to read
    /// (SQLITE_IOERR_READ) may be a lack of memory.
    var isOfReading: Bool { code == Self.badSector }

    /// SQLITE_IOERR_CORRUPTFS, SQLite's code for a read that ends with EIO. Swift does not import macros of several parts.
    static let badSector: Int32 = SQLITE_IOERR | 33 << 8

    package var description: String { "SQLite \(code): \(message)" }
}
