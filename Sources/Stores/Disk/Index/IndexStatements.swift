// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import Pipeline
internal import SourceURLs

/// The prepared statements for changes of the index.
///
/// **Isolation:** their connection's.
struct IndexStatements: ~Copyable {
    private let putOriginal: Statement
    private let refreshOriginal: Statement
    private let expireOriginal: Statement
    private let touchOriginal: Statement
    private let deleteOriginal: Statement
    private let putRendition: Statement
    /// False if the index has no column for the URL for which a rendition was made.
    private let notesURLs: Bool
    private let touchRendition: Statement
    private let deleteRendition: Statement
    private let noteWatermark: Statement
    private let endWatermark: Statement
    private let noteSweep: Statement
    private let noteDoubt: Statement
    private let endDoubt: Statement
    private let tags: TagStatements
}

extension IndexStatements {
    init(_ database: borrowing Database) throws(SQLiteError) {
        let notesURLs = try IndexSchema.notesURLs(database)
        let notesWatermarks = try WatermarkedRows.exist(in: database)
        self.init(
            putOriginal: try database.prepare(
                """
                INSERT OR REPLACE INTO originals
                VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20)
                """),
            refreshOriginal: try database.prepare(
                """
                UPDATE originals SET response_time=?2, initial_age=?3, lifetime=?4, client_lifetime=?5,
                stale_while_revalidate=?6, stale_if_error=?7, flags=?8, fields=?9, last_modified=?10 WHERE key=?1
                """),
            expireOriginal: try database.prepare(
                """
                UPDATE originals SET response_time=?2, initial_age=?3, lifetime=?4, client_lifetime=?5,
                stale_while_revalidate=?6, stale_if_error=?7, flags=?8 WHERE key=?1
                """),
            touchOriginal: try database.prepare("UPDATE originals SET accessed=?2 WHERE key=?1"),
            deleteOriginal: try database.prepare("DELETE FROM originals WHERE key=?1"),
            putRendition: try database.prepare(
                "INSERT OR REPLACE INTO renditions VALUES (?1,?2,?3,?4,?5,?6,?7,?8\(notesURLs ? ",?9" : ""))"),
            notesURLs: notesURLs,
            touchRendition: try database.prepare("UPDATE renditions SET accessed=?2 WHERE key=?1"),
            deleteRendition: try database.prepare("DELETE FROM renditions WHERE key=?1"),
            noteWatermark: try database.prepare(
                notesWatermarks ? WatermarkedRows.note : WatermarkedRows.nothing),
            endWatermark: try database.prepare(
                notesWatermarks ? WatermarkedRows.end : WatermarkedRows.nothing),
            noteSweep: try database.prepare("UPDATE state SET value=0 WHERE name='adopts'"),
            noteDoubt: try database.prepare(UnprovenRows.note),
            endDoubt: try database.prepare(UnprovenRows.end),
            tags: try TagStatements(database))
    }

    borrowing func apply(_ row: RowChange) throws(SQLiteError) {
        switch row {
        case .putOriginal(let original, let fields, let accessed):
            putOriginal.bind(original, fields: fields, accessed: accessed)
            try putOriginal.run()
            try tags.replace(for: NameKey(original.key), by: fields)
        case .refreshOriginal(let key, let freshness, let modified, let fields):
            let name = NameKey(key)
            refreshOriginal.bind(1, name)
            refreshOriginal.bind(2, freshness)
            refreshOriginal.bind(9, fields)
            refreshOriginal.bind(10, modified)
            try refreshOriginal.run()
            try tags.replace(for: name, by: fields)
        case .expireOriginal(let key, let freshness):
            expireOriginal.bind(1, key)
            expireOriginal.bind(2, freshness)
            try expireOriginal.run()
        case .touchOriginal(let key, let accessed):
            touchOriginal.bind(1, key)
            touchOriginal.bind(2, accessed)
            try touchOriginal.run()
        case .deleteOriginal(let key):
            deleteOriginal.bind(1, key)
            try deleteOriginal.run()
            try tags.replace(for: key, by: "")
        case .putRendition(let rendition, let original, let url, let accessed):
            putRendition.bind(rendition, of: original, accessed: accessed)
            if notesURLs { putRendition.bind(madeFor: url) }
            try putRendition.run()
        case .touchRendition(let key, let accessed):
            touchRendition.bind(1, key)
            touchRendition.bind(2, accessed)
            try touchRendition.run()
        case .deleteRendition(let key):
            deleteRendition.bind(1, key)
            try deleteRendition.run()
            endWatermark.bind(1, key)
            try endWatermark.run()
        case .noteWatermark(let key, let original, let url):
            noteWatermark.bind(1, key)
            noteWatermark.bind(2, original.shortName)
            noteWatermark.bind(3, url.asMadeFor)
            try noteWatermark.run()
        case .noteSweep: try noteSweep.run()
        case .noteDoubt(let key):
            noteDoubt.bind(1, key.text)
            try noteDoubt.run()
        case .endDoubt(let key):
            endDoubt.bind(1, key.text)
            try endDoubt.run()
        }
    }
}
