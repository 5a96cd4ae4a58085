// SPDX-License-Identifier: Apache-2.0
//
// The queries for operators: which originals to purge, and which to list. They use a separate connection, so that neither the
// writer nor a revalidation waits for them. Each is one statement that uses an SQL index; none scans all rows.

internal import Bytes
internal import Pipeline
internal import Recipes
internal import SourceURLs

struct IndexQueries: ~Copyable {
    private let database: Database

    /// - Parameter access: `readOnly` or `immutable`.
    init(path: String, _ access: Database.Access) throws(SQLiteError) {
        database = try Database(path: path, access)
    }

    struct Name: Sendable {
        let key: NameKey
        /// The key's text.
        let text: String
    }

    /// The originals of a selection other than `all`, as far as their rows are committed.
    borrowing func names(of selection: PurgeSelection) throws(SQLiteError) -> [Name] {
        let statement = try database.prepare(Self.sql(for: selection))
        if case .tag(let tag) = selection {
            statement.bind(1, tag)
        } else {
            statement.bind(ranges: selection.prefixes)
        }
        return try statement.rows { row in
            row.nameKey(0).map { Name(key: $0, text: row.text(1)) }
        }
    }

    static func sql(for selection: PurgeSelection) -> String {
        if case .tag = selection {
            return """
                SELECT originals.key, url FROM tags JOIN originals ON originals.key = tags.key WHERE tag = ?1
                """
        }
        return "SELECT key, url FROM originals WHERE \(ranges(selection.prefixes.count))"
    }

    /// Keys of the renditions that were made from these bytes, or bear them as a watermark.
    borrowing func renditions(of originals: some Collection<OriginalDigest>) throws(SQLiteError) -> [Digest] {
        let made = try keys(Self.renditionsSQL, of: originals)
        guard try WatermarkedRows.exist(in: database) else { return made }
        return try made + keys(WatermarkedRows.ofWatermarkSQL, of: originals)
    }

    private borrowing func keys(
        _ sql: String, of originals: some Collection<OriginalDigest>
    ) throws(SQLiteError) -> [Digest] {
        let statement = try database.prepare(sql)
        var keys: [Digest] = []
        for original in originals {
            statement.bind(1, original.shortName)
            keys += try statement.rows { $0.digest(0) }
        }
        return keys
    }

    static let renditionsSQL = "SELECT key FROM renditions WHERE original = ?1"

    /// A rendition, and the first 8 bytes of the digest of its original or of its watermark.
    struct Made: Sendable {
        let key: Digest
        let original: Int64
    }

    /// The renditions that were made for the URLs of a selection, or bear what these had as a watermark, from any bytes that the
    /// URLs had then: even from originals that were replaced since, evicted, or never kept.
    /// - Parameter keys: the originals that have the tag, because rows of renditions have no tags.
    borrowing func renditions(
        madeFor selection: PurgeSelection, _ keys: Set<OriginalKey>
    ) throws(SQLiteError) -> [Made] {
        var found: [Made] = []
        if try IndexSchema.notesURLs(database) {
            found = try made(for: selection, keys, by: Self.madeForSQL) { count in
                Self.madeBelowSQL(prefixes: count)
            }
        }
        if try WatermarkedRows.exist(in: database) {
            found += try made(for: selection, keys, by: WatermarkedRows.madeForSQL) { count in
                WatermarkedRows.madeBelowSQL(Self.ranges(count))
            }
        }
        return found
    }

    /// - Parameters:
    ///   - exact: SQL for one URL.
    ///   - below: makes SQL for a number of prefixes of URLs.
    private borrowing func made(
        for selection: PurgeSelection, _ keys: Set<OriginalKey>, by exact: String, _ below: (Int) -> String
    ) throws(SQLiteError) -> [Made] {
        switch selection {
        case .url, .tag:
            let urls: Set<String>
            if case .url(let key) = selection { urls = [key.url] } else { urls = Set(keys.map(\.url)) }
            let statement = try database.prepare(exact)
            var found: [Made] = []
            for url in urls {
                statement.bind(1, url.asMadeFor)
                found += try statement.rows { $0.made() }
            }
            return found
        case .prefix, .host, .all:
            let prefixes = selection.prefixes.map(\.asMadeFor)
            let statement = try database.prepare(below(prefixes.count))
            statement.bind(ranges: prefixes)
            return try statement.rows { $0.made() }
        }
    }

    static let madeForSQL = "SELECT key, original FROM renditions WHERE url = ?1"

    static func madeBelowSQL(prefixes count: Int) -> String {
        "SELECT key, original FROM renditions WHERE \(ranges(count))"
    }

    /// Keys of the renditions whose original is unknown.
    borrowing func renditionsWithoutOriginal() throws(SQLiteError) -> [Digest] {
        try database.prepare("SELECT key FROM renditions WHERE original IS NULL").rows { $0.digest(0) }
    }

    /// The number of renditions that were made from these bytes.
    borrowing func renditionCount(of original: OriginalDigest) throws(SQLiteError) -> Int {
        let statement = try database.prepare("SELECT count(*) FROM renditions WHERE original = ?1")
        statement.bind(1, original.shortName)
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// Originals in the order of their URLs, beginning after `url`.
    borrowing func list(
        _ selection: PurgeSelection, after url: String, limit: Int
    ) throws(SQLiteError) -> [ListedOriginal] {
        let prefixes = selection.prefixes
        // Cannot trap: a selection has at most seven prefixes.
        let (after, count) = (Int32(prefixes.count * 2 + 1), Int32(prefixes.count * 2 + 2))
        let statement = try database.prepare(
            """
            SELECT url, lower(hex(digest)), length, name, width, height, pages, response_time, initial_age, lifetime,
            accessed FROM originals JOIN formats ON id = format
            WHERE (\(Self.ranges(prefixes.count))) AND url > ?\(after) ORDER BY url LIMIT ?\(count)
            """)
        statement.bind(ranges: prefixes)
        statement.bind(after, url)
        statement.bind(count, limit)
        return try statement.rows { $0.listed() }
    }

    private static func ranges(_ count: Int) -> String {
        (0..<count).map { "url >= ?\($0 * 2 + 1) AND url < ?\($0 * 2 + 2)" }.joined(separator: " OR ")
    }
}

extension Statement {
    /// Binds two parameters per prefix. URLs are ASCII, so the last code point sorts after all of them.
    fileprivate borrowing func bind(ranges prefixes: [String]) {
        for (index, prefix) in prefixes.enumerated() {
            // Cannot trap: as in `list`.
            bind(Int32(index * 2 + 1), prefix)
            // Cannot trap: as in `list`.
            bind(Int32(index * 2 + 2), prefix + "\u{10FFFF}")
        }
    }

    fileprivate borrowing func made() -> IndexQueries.Made? {
        guard let key = digest(0) else { return nil }
        return IndexQueries.Made(key: key, original: integer(1))
    }

    fileprivate borrowing func listed() -> ListedOriginal {
        ListedOriginal(
            url: text(0), digest: text(1), length: Int(integer(2)), format: text(3), width: Int(integer(4)),
            height: Int(integer(5)), pages: Int(integer(6)), responseTime: integer(7) / 1000,
            initialAge: Int(integer(8)), lifetime: Int(integer(9)), accessed: integer(10))
    }
}
