// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching

/// Keeps the rows of `tags` consistent with the fields of their originals.
struct TagStatements: ~Copyable {
    /// SQL that is true for originals with tags.
    static let isTagged = "(instr(fields, 'cache-tag: ') > 0 OR instr(fields, 'surrogate-key: ') > 0)"

    private let delete: Statement
    private let insert: Statement

    init(_ database: borrowing Database) throws(SQLiteError) {
        let delete = try database.prepare("DELETE FROM tags WHERE key=?1")
        let insert = try database.prepare(
            """
            INSERT OR IGNORE INTO tags SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM originals WHERE key=?2)
            """)
        self.delete = delete
        self.insert = insert
    }

    /// - Parameter fields: the fields as `StoredFields` serialises them; empty for an original that is removed.
    borrowing func replace(for key: NameKey, by fields: String) throws(SQLiteError) {
        delete.bind(1, key)
        try delete.run()
        for tag in Self.tags(in: fields) {
            insert.bind(1, tag)
            insert.bind(2, key)
            try insert.run()
        }
    }

    static func tags(in fields: String) -> [String] {
        // Few originals have tags, so most fields need not be parsed.
        guard StoredFields.mayHaveTags(serialized: fields) else { return [] }
        return StoredFields(serialized: fields)?.tags ?? []
    }
}
