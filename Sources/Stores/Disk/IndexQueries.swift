// SPDX-License-Identifier: Apache-2.0
//
// What people ask of the index: which originals to purge, which to list. On a connection of its own, so that neither the
// writer nor a revalidation waits for it. Each is one statement that an index answers; none looks at every row.

internal import Bytes
internal import Pipeline
internal import Recipes

struct IndexQueries: ~Copyable {
    private let database: Database

    init(path: String) throws(SQLiteError) { database = try Database(path: path, .readOnly) }

    struct Name: Sendable {
        let key: NameKey
        let url: String
    }

    /// Originals that a selection other than `all` means, as far as their rows are committed.
    borrowing func names(of selection: PurgeSelection) throws(SQLiteError) -> [Name] {
        let statement = try database.prepare(Self.sql(for: selection))
        if case .tag(let tag) = selection {
            statement.bind(1, tag)
        } else {
            statement.bind(ranges: selection.prefixes)
        }
        var names: [Name] = []
        while try statement.step() {
            if let key = statement.nameKey(0) { names.append(Name(key: key, url: statement.text(1))) }
        }
        return names
    }

    static func sql(for selection: PurgeSelection) -> String {
        if case .tag = selection {
            return """
                SELECT originals.key, url FROM tags JOIN originals ON originals.key = tags.key WHERE tag = ?1
                """
        }
        return "SELECT key, url FROM originals WHERE \(ranges(selection.prefixes.count))"
    }

    /// Keys of the renditions that were made of these bytes.
    borrowing func renditions(of originals: some Sequence<OriginalDigest>) throws(SQLiteError) -> [Digest] {
        let statement = try database.prepare(Self.renditionsSQL)
        var keys: [Digest] = []
        for original in originals {
            statement.bind(1, original.shortName)
            while try statement.step() {
                if let key = statement.digest(0) { keys.append(key) }
            }
            statement.reset()
        }
        return keys
    }

    static let renditionsSQL = "SELECT key FROM renditions WHERE original = ?1"

    /// Keys of the renditions of which nobody knows what they were made of.
    borrowing func foundlings() throws(SQLiteError) -> [Digest] {
        let statement = try database.prepare("SELECT key FROM renditions WHERE original IS NULL")
        var keys: [Digest] = []
        while try statement.step() {
            if let key = statement.digest(0) { keys.append(key) }
        }
        return keys
    }

    /// How many renditions were made of these bytes.
    borrowing func renditionCount(of original: OriginalDigest) throws(SQLiteError) -> Int {
        let statement = try database.prepare("SELECT count(*) FROM renditions WHERE original = ?1")
        statement.bind(1, original.shortName)
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// Originals in the order of their URLs, from behind `url` on.
    borrowing func list(
        _ selection: PurgeSelection, after url: String, limit: Int
    ) throws(SQLiteError) -> [ListedOriginal] {
        let prefixes = selection.prefixes
        // Cannot trap: a selection has four prefixes at most.
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
        var originals: [ListedOriginal] = []
        while try statement.step() { originals.append(statement.listed()) }
        return originals
    }

    private static func ranges(_ count: Int) -> String {
        (0..<count).map { "url >= ?\($0 * 2 + 1) AND url < ?\($0 * 2 + 2)" }.joined(separator: " OR ")
    }
}

extension Statement {
    /// Two parameters for each beginning: URLs are ASCII, so the last code point there is comes after all of them.
    fileprivate borrowing func bind(ranges prefixes: [String]) {
        for (index, prefix) in prefixes.enumerated() {
            // Cannot trap: as in `list`.
            bind(Int32(index * 2 + 1), prefix)
            // Cannot trap: as in `list`.
            bind(Int32(index * 2 + 2), prefix + "\u{10FFFF}")
        }
    }

    fileprivate borrowing func listed() -> ListedOriginal {
        ListedOriginal(
            url: text(0), digest: text(1), length: Int(integer(2)), format: text(3), width: Int(integer(4)),
            height: Int(integer(5)), pages: Int(integer(6)), responseTime: integer(7) / 1000,
            initialAge: Int(integer(8)), lifetime: Int(integer(9)), accessed: integer(10))
    }
}

/// One original as a person wants to see it listed.
package struct ListedOriginal: Sendable, Hashable, Codable {
    package var url: String
    /// Names the file; 64 hexadecimal digits.
    package var digest: String
    /// Bytes.
    package var length: Int
    package var format: String
    package var width: Int
    package var height: Int
    package var pages: Int
    /// Seconds since 1970, as `accessed`.
    package var responseTime: Int64
    /// Seconds, as `lifetime`.
    package var initialAge: Int
    package var lifetime: Int
    /// Up to an hour late.
    package var accessed: Int64
}
