// SPDX-License-Identifier: Apache-2.0

/// Reads the caching fields of originals on a connection of its own, so that it never waits for the writer.
///
/// **Isolation:** belongs to whoever holds it.
struct FieldsReader: ~Copyable, Sendable {
    private let path: String
    private let access: Database.Access
    private var connection: Connection?

    private struct Connection: ~Copyable, Sendable {
        let statement: Statement
        // Goes after its statement.
        let database: Database

        init(_ path: String, _ access: Database.Access) throws(SQLiteError) {
            let database = try Database(path: path, access, patience: 50)
            statement = try database.prepare("SELECT fields FROM originals WHERE key=?1")
            self.database = database
        }

        borrowing func read(_ key: NameKey) throws(SQLiteError) -> String {
            statement.bind(1, key)
            defer { statement.reset() }
            return try statement.step() ? statement.text(0) : ""
        }
    }

    /// - Parameter access: not for writing.
    init(path: String, _ access: Database.Access) {
        self.path = path
        self.access = access
    }

    /// Empty where there are none, or where they cannot be read: the origin is asked for everything then.
    mutating func fields(of key: NameKey) -> String {
        do throws(SQLiteError) {
            if connection == nil { connection = try Connection(path, access) }
            return try connection?.read(key) ?? ""
        } catch {
            connection = nil
            return ""
        }
    }

    mutating func close() { connection = nil }
}
