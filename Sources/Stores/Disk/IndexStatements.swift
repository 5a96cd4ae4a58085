// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import ImageModel

/// The index's changes as prepared statements.
///
/// **Isolation:** their connection's.
struct IndexStatements: ~Copyable {
    private let putOriginal: Statement
    private let refreshOriginal: Statement
    private let touchOriginal: Statement
    private let deleteOriginal: Statement
    private let putRendition: Statement
    private let touchRendition: Statement
    private let deleteRendition: Statement

    init(_ database: borrowing Database) throws(SQLiteError) {
        let putOriginal = try database.prepare(
            """
            INSERT OR REPLACE INTO originals
            VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19)
            """)
        let refreshOriginal = try database.prepare(
            """
            UPDATE originals SET response_time=?2, initial_age=?3, lifetime=?4, stale_while_revalidate=?5,
            stale_if_error=?6, flags=?7, fields=?8 WHERE key=?1
            """)
        let touchOriginal = try database.prepare("UPDATE originals SET accessed=?2 WHERE key=?1")
        let deleteOriginal = try database.prepare("DELETE FROM originals WHERE key=?1")
        let putRendition = try database.prepare(
            "INSERT OR REPLACE INTO renditions VALUES (?1,?2,?3,?4,?5,?6,?7)")
        let touchRendition = try database.prepare("UPDATE renditions SET accessed=?2 WHERE key=?1")
        let deleteRendition = try database.prepare("DELETE FROM renditions WHERE key=?1")
        self.putOriginal = putOriginal
        self.refreshOriginal = refreshOriginal
        self.touchOriginal = touchOriginal
        self.deleteOriginal = deleteOriginal
        self.putRendition = putRendition
        self.touchRendition = touchRendition
        self.deleteRendition = deleteRendition
    }

    borrowing func apply(_ row: RowChange) throws(SQLiteError) {
        switch row {
        case .putOriginal(let original, let fields, let accessed):
            putOriginal.bind(original, fields: fields, accessed: accessed)
            try putOriginal.run()
        case .refreshOriginal(let key, let freshness, let fields):
            refreshOriginal.bind(1, key)
            refreshOriginal.bind(2, freshness)
            refreshOriginal.bind(8, fields)
            try refreshOriginal.run()
        case .touchOriginal(let key, let accessed):
            touchOriginal.bind(1, key)
            touchOriginal.bind(2, accessed)
            try touchOriginal.run()
        case .deleteOriginal(let key):
            deleteOriginal.bind(1, key)
            try deleteOriginal.run()
        case .putRendition(let rendition, let accessed):
            putRendition.bind(rendition, accessed: accessed)
            try putRendition.run()
        case .touchRendition(let key, let accessed):
            touchRendition.bind(1, key)
            touchRendition.bind(2, accessed)
            try touchRendition.run()
        case .deleteRendition(let key):
            deleteRendition.bind(1, key)
            try deleteRendition.run()
        }
    }
}
