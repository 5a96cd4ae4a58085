// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import Stores
import Testing

@Suite("An error of SQLite") struct SQLiteErrorTests {
    /// SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC, SQLITE_IOERR_SHMSIZE, and SQLITE_CANTOPEN.
    private static let writes: [Int32] = [778, 1_034, 4_874, 14]

    private static func kind(_ code: Int32, _ systemCode: Int32) -> SQLiteError.Kind {
        SQLiteError(code: code, message: "", systemCode: systemCode).kind
    }

    @Test(arguments: writes, [ENOSPC, EDQUOT])
    func `is a full disk if a write fails for want of room or of quota`(code: Int32, systemCode: Int32) {
        #expect(Self.kind(code, systemCode) == .diskFull)
    }

    @Test(arguments: writes, [0, EIO, EACCES])
    func `is a disk that fails if a write fails otherwise`(code: Int32, systemCode: Int32) {
        #expect(Self.kind(code, systemCode) == .io)
    }

    /// SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ and SQLITE_IOERR_CORRUPTFS.
    @Test(arguments: [266, 522, SQLiteError.badSector])
    func `is none of a full disk if a read fails, whatever failed before`(code: Int32) {
        #expect(Self.kind(code, EDQUOT) == .io)
    }

    @Test func `keeps its kind if no system call has failed`() {
        #expect(Self.kind(13, 0) == .diskFull && Self.kind(11, EDQUOT) == .damaged)
        #expect(Self.kind(5, ENOSPC) == .busy && Self.kind(8, EDQUOT) == .readOnly)
    }
}
