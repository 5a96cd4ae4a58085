// SPDX-License-Identifier: Apache-2.0

import CSQLite
import TestSupport

/// The index of a cache, as a person opens it with sqlite3.
struct CacheIndex: ~Copyable {
    struct Unreadable: Error { let words: String }

    enum Access { case readOnly, readWrite }

    private let handle: OpaquePointer

    init(_ cache: TemporaryFolder, _ access: Access = .readOnly) throws {
        let flags = access == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        var handle: OpaquePointer?
        let code = sqlite3_open_v2("\(cache.path)/index.sqlite", &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            throw Unreadable(words: String(cString: sqlite3_errstr(code)))
        }
        self.handle = handle
        // The daemon's writer may have the lock for a moment.
        sqlite3_busy_timeout(handle, Int32(Patience.seconds * 1_000))
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw Unreadable(words: String(cString: sqlite3_errmsg(handle)))
        }
    }

    /// Names of the files that a folder should hold, as its table has them.
    func names(in folder: String) throws -> Set<String> {
        let column = folder == "originals" ? "digest" : "key"
        var statement: OpaquePointer?
        guard
            sqlite3_prepare_v2(handle, "SELECT lower(hex(\(column))) FROM \(folder)", -1, &statement, nil)
                == SQLITE_OK
        else { throw Unreadable(words: String(cString: sqlite3_errmsg(handle))) }
        defer { sqlite3_finalize(statement) }
        var names: Set<String> = []
        while sqlite3_step(statement) == SQLITE_ROW {
            if let text = sqlite3_column_text(statement, 0) { names.insert(String(cString: text)) }
        }
        return names
    }
}
