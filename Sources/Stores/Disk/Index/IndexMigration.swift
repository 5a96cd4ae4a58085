// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

/// Migrates an index of an earlier version, completely or not at all.
enum IndexMigration {
    /// On a full disk, version 2 stays until a later opening, because only the writer's evictions make room again.
    static func migrate(_ database: borrowing Database, from version: Int64, to current: Int64)
        throws(SQLiteError)
    {
        try database.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            if version < 2 {
                try database.execute(IndexSchema.fromVersion1)
                try fillTags(database)
            }
            if version < 3 { try database.execute(IndexSchema.fromVersion2) }
            try database.execute("PRAGMA user_version=\(current); COMMIT")
        } catch {
            try? database.execute("ROLLBACK")
            guard version == 2, error.kind == .diskFull else { throw error }
        }
    }

    /// An edition of header parsing. Headers of an earlier edition lack what the parser has learned since, and would stay as long
    /// as the bytes do.
    private struct HeaderEdition {
        let number: Int64
        /// SQL that is true for rows of earlier editions that this edition would read differently, with a price that matters or with other
        /// colours.
        let outdated: String

        /// The editions, the oldest first.
        static let all = [
            // For a TIFF's largest page and odd samples, and a GIF's frames that leave some area free.
            HeaderEdition(number: 2, outdated: formats(.tiff, .gif)),
            // For a TIFF's tiles, samples beyond four and LogLuv; a JPEG XL's channels, and parts of its codestream. For AVIF and
            // HEIC the parser has improved as well, but their rows stay, because there are many, and what a decoder uses beyond
            // their price is limited elsewhere.
            HeaderEdition(
                number: 3, outdated: "\(formats(.tiff, .jxl)) OR \(uncountedJPEG) OR \(widePNG)"),
            // For a drawing's style, a TIFF's colours, and JPEGs with two components.
            HeaderEdition(
                number: 4, outdated: "\(formats(.svg, .tiff)) OR (\(formats(.jpeg)) AND traits >> 8 = 2)"),
            // For a TIFF's inks and alpha, and the alpha of an animated WebP's frames. An animation with a single frame cannot be told
            // from the many stills.
            HeaderEdition(number: 5, outdated: "\(formats(.tiff)) OR \(opaqueAnimation)"),
        ]
        static var current: Int64 { all.last?.number ?? 1 }

        private static func formats(_ formats: ImageFormat...) -> String {
            "format IN (\(formats.map { "\($0.rawValue)" }.joined(separator: ",")))"
        }

        /// A picture with more pixels has a price that matters if it is wrong. For a smaller JPEG, at most 50 MB are missing, for a
        /// smaller PNG 100.
        private static let large = "width * height > \(1 << 22)"
        private static let progressive = ImageHeader.Traits.progressive.rawValue
        private static let deep = ImageHeader.Traits.deep.rawValue
        private static let alpha = ImageHeader.Traits.alpha.rawValue

        /// A progressive JPEG may have more than four components, each of which is held in memory as a whole; other JPEGs are
        /// decoded row by row.
        private static let uncountedJPEG = """
            (\(formats(.jpeg)) AND traits & \(progressive) AND traits >> 8 NOT BETWEEN 1 AND 4 AND \(large))
            """
        /// Rows of a wide PNG are held in memory and cost more with 16 bits, which the index did not record.
        private static let widePNG = """
            (\(formats(.png)) AND NOT traits & \(deep) AND width > 2 * height AND \(large))
            """
        /// Frames of a WebP may have alpha although its flag does not say so.
        private static let opaqueAnimation = "(\(formats(.webp)) AND pages > 1 AND NOT traits & \(alpha))"
    }

    /// SQL that is true for originals whose header an earlier edition has read differently; nil once these are forgotten.
    static func outdated(_ database: borrowing Database) throws(SQLiteError) -> String? {
        let edition = try database.integer("SELECT value FROM state WHERE name='headers'") ?? 1
        let later = HeaderEdition.all.filter { $0.number > edition }
        return later.isEmpty ? nil : later.map { "(\($0.outdated))" }.joined(separator: " OR ")
    }

    /// Forgets originals with outdated headers. They are fetched again; their renditions stay.
    ///
    /// On a full disk their rows stay until a later opening, because only the writer's evictions make room again. `IndexLoader`
    /// leaves them out.
    static func forgetOldHeaders(_ database: borrowing Database) throws(SQLiteError) {
        guard let outdated = try outdated(database) else { return }
        try database.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            try database.execute(
                """
                DELETE FROM tags WHERE key IN (SELECT key FROM originals WHERE \(outdated));
                DELETE FROM originals WHERE \(outdated);
                INSERT OR REPLACE INTO state VALUES ('headers', \(HeaderEdition.current));
                COMMIT
                """)
        } catch {
            try? database.execute("ROLLBACK")
            guard error.kind == .diskFull else { throw error }
        }
    }

    private static func fillTags(_ database: borrowing Database) throws(SQLiteError) {
        let tags = try TagStatements(database)
        let tagged = try database.prepare(
            "SELECT key, fields FROM originals WHERE \(TagStatements.isTagged)")
        while try tagged.step() {
            if let key = tagged.nameKey(0) { try tags.replace(for: key, by: tagged.text(1)) }
        }
    }
}
