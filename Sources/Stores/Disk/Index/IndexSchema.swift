// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

/// The tables of the index.
enum IndexSchema {
    /// Tables and indices for purges alone. Eight bytes of a digest are enough: if two digests agree in them, a purge merely
    /// removes a rendition too many.
    private static let purging = """
        CREATE INDEX originals_by_url ON originals (url);
        CREATE INDEX renditions_by_original ON renditions (original);
        CREATE TABLE tags (tag TEXT NOT NULL, key BLOB NOT NULL, PRIMARY KEY (tag, key)) WITHOUT ROWID;
        CREATE INDEX tags_by_key ON tags (key);
        """

    /// For purges by URL: finds renditions whose original is not in the table any more. The index does not contain rows without a
    /// URL.
    private static let madeFor = "CREATE INDEX renditions_by_url ON renditions (url) WHERE url IS NOT NULL;"

    /// Migrates from version 1, which had no tags and did not record renditions' originals. `IndexMigration`
    /// fills in the tags.
    static let fromVersion1 = """
        ALTER TABLE renditions ADD COLUMN original INTEGER;
        ALTER TABLE originals RENAME COLUMN alpha TO traits;
        """ + purging

    /// Migrates from version 2, which did not record the URLs that renditions were made for. Such renditions never get a URL.
    static let fromVersion2 = "ALTER TABLE renditions ADD COLUMN url TEXT; " + madeFor

    /// False for version 2, which an index keeps if its folder cannot be written or the disk is full.
    static func notesURLs(_ database: borrowing Database) throws(SQLiteError) -> Bool {
        try database.integer("PRAGMA user_version") ?? 0 >= 3
    }

    static func sql(application: Int64, version: Int64) -> String {
        let formats = ImageFormat.allCases.map { "(\($0.rawValue),'\($0.name)')" }.joined(separator: ",")
        return """
            BEGIN;
            PRAGMA application_id=\(application);
            PRAGMA user_version=\(version);
            CREATE TABLE originals (
              key BLOB PRIMARY KEY,         -- first 16 bytes of the SHA-256 of url
              url TEXT NOT NULL,            -- and #, and the variant's digest, where it has one
              digest BLOB NOT NULL,         -- SHA-256 of the body, names its file
              length INTEGER NOT NULL,      -- bytes
              format INTEGER NOT NULL,      -- formats.id
              width INTEGER NOT NULL, height INTEGER NOT NULL, pages INTEGER NOT NULL,
              orientation INTEGER NOT NULL, -- EXIF, 1 to 8
              traits INTEGER NOT NULL,      -- ImageHeader.Traits: 1 alpha, 2 progressive, 4 not decodable, 8 deep, 16 rightless
              last_modified INTEGER,        -- milliseconds since 1970, as response_time
              response_time INTEGER NOT NULL,
              initial_age INTEGER NOT NULL, -- seconds, as the next four
              lifetime INTEGER NOT NULL,
              client_lifetime INTEGER NOT NULL,
              stale_while_revalidate INTEGER NOT NULL,
              stale_if_error INTEGER NOT NULL,
              flags INTEGER NOT NULL,       -- Freshness.Flags: 1 no-cache, 2 must-revalidate, …
              fields TEXT NOT NULL,         -- validators and the like
              accessed INTEGER NOT NULL     -- seconds since 1970, up to an hour late
            ) WITHOUT ROWID;
            CREATE TABLE renditions (
              key BLOB PRIMARY KEY,         -- names its file
              length INTEGER NOT NULL, format INTEGER NOT NULL,
              width INTEGER NOT NULL, height INTEGER NOT NULL, pages INTEGER NOT NULL,
              accessed INTEGER NOT NULL,
              original INTEGER,             -- first 8 bytes of the original's digest; NULL = not known
              url TEXT                      -- the beginning of the URL that it was made for; NULL = not known
            ) WITHOUT ROWID;
            \(purging)
            \(madeFor)
            CREATE TABLE formats (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            INSERT INTO formats VALUES \(formats);
            CREATE TABLE state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
            INSERT INTO state VALUES ('clean', 1), ('adopts', 1);
            COMMIT;
            """
    }
}
