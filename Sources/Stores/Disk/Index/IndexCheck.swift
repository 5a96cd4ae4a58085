// SPDX-License-Identifier: Apache-2.0

/// What SQLite's check of a whole index proves.
enum IndexCheck: Sendable, Hashable {
    case sound
    case damaged
    /// A page could not be read, which says nothing about its contents.
    case unreadable

    /// What SQLite says of a page that it did not get, for whatever reason (btree.c, sqlite3BtreeIntegrityCheck).
    private static let unread = ["unable to get the page", "failed to get page"]

    /// Reads the index through a connection of its own: if reads fail for a while, a connection that writes calls a sound index
    /// malformed.
    static func of(_ path: String) -> IndexCheck {
        do throws(SQLiteError) {
            let database = try Database(path: path, .readOnly)
            return of(verdict: try database.text("PRAGMA quick_check(1)"))
        } catch {
            return error.kind == .damaged ? .damaged : .unreadable
        }
    }

    /// - Parameter verdict: `ok`, or the first fault that was found.
    static func of(verdict: String?) -> IndexCheck {
        guard let verdict else { return .unreadable }
        if verdict == "ok" { return .sound }
        return unread.contains { verdict.contains($0) } ? .unreadable : .damaged
    }
}
