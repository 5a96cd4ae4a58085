// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Reads originals' caching fields over a connection of its own, so that it never waits for the writer.
///
/// The connection is opened by the index's path when it is first needed. By then another index may have that path, in which the
/// same name may have other bytes, whose validators would make the origin confirm wrong content.
///
/// **Isolation:** the holder's.
struct FieldsReader: ~Copyable, Sendable {
    private let path: String
    private let access: Database.Access
    private var connection: Connection?

    private struct Connection: ~Copyable, Sendable {
        let statement: Statement
        // Declared after the statement, because it must be closed after it.
        let database: Database

        init(_ path: String, _ access: Database.Access) throws(SQLiteError) {
            let database = try Database(path: path, access, busyTimeout: 50)
            statement = try database.prepare("SELECT fields FROM originals WHERE key=?1 AND digest=?2")
            self.database = database
        }

        borrowing func read(_ key: NameKey, _ digest: Digest) throws(SQLiteError) -> String {
            statement.bind(1, key)
            statement.bind(2, digest)
            defer { statement.reset() }
            return try statement.step() ? statement.text(0) : ""
        }
    }

    /// - Parameter access: `readOnly` or `immutable`.
    init(path: String, _ access: Database.Access) {
        self.path = path
        self.access = access
    }

    /// The fields of an original with these bytes; empty if there are none or they cannot be read. The origin is then asked
    /// without conditions.
    mutating func fields(of key: NameKey, _ digest: Digest) -> String {
        do throws(SQLiteError) {
            if connection == nil { connection = try Connection(path, access) }
            return try connection?.read(key, digest) ?? ""
        } catch {
            connection = nil
            return ""
        }
    }

    mutating func close() { connection = nil }
}
