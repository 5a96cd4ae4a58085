// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

/// Migrates an index of an earlier version, completely or not at all.
enum IndexMigration {
    /// On a full disk version 2 stays until a later opening, because only the writer's evictions make room again.
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

    /// Headers that were read before the parser learned more of a format, and would stay for as long as the bytes do.
    private struct HeaderEdition {
        let number: Int64
        /// SQL that is true for rows of earlier editions which this one would read otherwise, at a price that matters or with other colours.
        let outdated: String

        /// Oldest first.
        static let all = [
            // A TIFF's largest page and odd samples, a GIF's frames that leave something free.
            HeaderEdition(number: 2, outdated: formats(.tiff, .gif)),
            // A TIFF's tiles, samples beyond four and LogLuv; a JPEG XL's channels, and parts of its codestream. AVIF and HEIC are
            // read better too, and stay: what a decoder takes beyond their price has a bound of its own, and there are many.
            HeaderEdition(
                number: 3, outdated: "\(formats(.tiff, .jxl)) OR \(uncountedJPEG) OR \(widePNG)"),
            // A drawing's style, a TIFF's colours, and JPEGs of two components.
            HeaderEdition(
                number: 4, outdated: "\(formats(.svg, .tiff)) OR (\(formats(.jpeg)) AND traits >> 8 = 2)"),
            // A TIFF's inks and alpha, and the alpha of a moving WebP's frames. One of a single frame cannot be told from the many stills.
            HeaderEdition(number: 5, outdated: "\(formats(.tiff)) OR \(opaqueAnimation)"),
        ]
        static var current: Int64 { all.last?.number ?? 1 }

        private static func formats(_ formats: ImageFormat...) -> String {
            "format IN (\(formats.map { "\($0.rawValue)" }.joined(separator: ",")))"
        }

        /// Pixels of a picture whose wrong price matters. A smaller JPEG takes 50 MB more than its price at most, a smaller PNG 100.
        private static let large = "width * height > \(1 << 22)"
        private static let progressive = ImageHeader.Traits.progressive.rawValue
        private static let deep = ImageHeader.Traits.deep.rawValue
        private static let alpha = ImageHeader.Traits.alpha.rawValue

        /// A progressive JPEG may have more than four components, each of which is held whole; others are decoded by rows.
        private static let uncountedJPEG = """
            (\(formats(.jpeg)) AND traits & \(progressive) AND traits >> 8 NOT BETWEEN 1 AND 4 AND \(large))
            """
        /// A wide PNG's rows are held, and cost more of 16 bits, of which the index did not tell.
        private static let widePNG = """
            (\(formats(.png)) AND NOT traits & \(deep) AND width > 2 * height AND \(large))
            """
        /// A WebP's frames may have alpha that its flag does not tell of.
        private static let opaqueAnimation = "(\(formats(.webp)) AND pages > 1 AND NOT traits & \(alpha))"
    }

    /// SQL that is true for originals whose header an older version has read otherwise than this one would; nil once these are
    /// forgotten.
    static func outdated(_ database: borrowing Database) throws(SQLiteError) -> String? {
        let edition = try database.integer("SELECT value FROM state WHERE name='headers'") ?? 1
        let later = HeaderEdition.all.filter { $0.number > edition }
        return later.isEmpty ? nil : later.map { "(\($0.outdated))" }.joined(separator: " OR ")
    }

    /// Forgets these originals. They are fetched once more; their renditions stay.
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
