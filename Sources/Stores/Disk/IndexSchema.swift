// SPDX-License-Identifier: Apache-2.0

internal import ImageModel

/// The tables of the index.
enum IndexSchema {
    static func sql(application: Int64, version: Int64) -> String {
        let formats = ImageFormat.allCases.map { "(\($0.rawValue),'\($0)')" }.joined(separator: ",")
        return """
            BEGIN;
            PRAGMA application_id=\(application);
            PRAGMA user_version=\(version);
            CREATE TABLE originals (
              key BLOB PRIMARY KEY,         -- first 16 bytes of the SHA-256 of url
              url TEXT NOT NULL,
              digest BLOB NOT NULL,         -- SHA-256 of the body, names its file
              length INTEGER NOT NULL,      -- bytes
              format INTEGER NOT NULL,      -- formats.id
              width INTEGER NOT NULL, height INTEGER NOT NULL, pages INTEGER NOT NULL,
              orientation INTEGER NOT NULL, -- EXIF, 1 to 8
              alpha INTEGER NOT NULL,
              last_modified INTEGER,        -- milliseconds since 1970, as response_time
              response_time INTEGER NOT NULL,
              initial_age INTEGER NOT NULL, -- seconds, as the next three
              lifetime INTEGER NOT NULL,
              stale_while_revalidate INTEGER NOT NULL,
              stale_if_error INTEGER NOT NULL,
              flags INTEGER NOT NULL,       -- 1 no-cache, 2 must-revalidate, 4 heuristic, 8 immutable
              fields TEXT NOT NULL,         -- validators and the like
              accessed INTEGER NOT NULL     -- seconds since 1970, up to an hour late
            ) WITHOUT ROWID;
            CREATE TABLE renditions (
              key BLOB PRIMARY KEY,         -- names its file
              length INTEGER NOT NULL, format INTEGER NOT NULL,
              width INTEGER NOT NULL, height INTEGER NOT NULL, pages INTEGER NOT NULL,
              accessed INTEGER NOT NULL
            ) WITHOUT ROWID;
            CREATE TABLE formats (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            INSERT INTO formats VALUES \(formats);
            CREATE TABLE state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
            INSERT INTO state VALUES ('clean', 1);
            COMMIT;
            """
    }
}
