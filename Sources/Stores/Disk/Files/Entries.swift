// SPDX-License-Identifier: Apache-2.0
//
// The disk cache's table entries: of fixed size and without references, because there may be a million of
// each.

internal import Bytes
internal import Hashing
internal import HTTPCaching
internal import HTTPSemantics
internal import ImageHeaders
internal import Pipeline
internal import Recipes
internal import SourceURLs

/// The key of an original in 16 bytes: the first half of the SHA-256 of its text.
struct NameKey: Sendable, Hashable {
    let words: (UInt64, UInt64)

    init(words: (UInt64, UInt64)) { self.words = words }

    init(_ key: OriginalKey) {
        var hash = SHA256()
        var text = key.text
        text.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
        let digest = hash.finish()
        words = (digest.words.0, digest.words.1)
    }

    static func == (a: NameKey, b: NameKey) -> Bool { a.words == b.words }

    func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }
}

/// What the disk cache knows of a URL, or of one of its variants: the file and its freshness. 104 bytes.
struct NameEntry: TableEntry {
    /// Bytes charged for a name that shares its file with an earlier one: about the size of its row and its table entries.
    /// Without this charge, clients could add any number of names, with query parameters that an origin ignores or with fields
    /// that are passed on, because names with the same bytes share a file.
    static let sharingSize = 1_024
    /// The longest row in bytes for which nothing is charged; most rows have a tenth of that.
    static let usualRow = 2_048

    let key: NameKey
    var digest: Digest
    var freshness: Freshness
    var lastModified: Timestamp?
    /// True if the key contains fields of a client.
    let isVariant: Bool
    /// True if the origin gave tags, which are in the stored fields.
    var isTagged = false
    var accessed: UInt32
    var recorded: UInt32
    /// Bytes of the row beyond `usualRow`, which are charged to the partition.
    var excess: UInt32 = 0

    /// The excess of a row with so many bytes of text. The index has a URL twice and an origin's tags three times, and others
    /// choose the length of both.
    static func excess(url: Int, fields: Int) -> UInt32 {
        // Cannot trap: each number is the length of a text in memory.
        UInt32(clamping: 2 * url + 3 * fields - usualRow)
    }
}

/// A body on disk: an original under its digest, or a rendition under its key. 72 bytes.
struct FileEntry: TableEntry {
    let key: Digest
    /// The body's length in bytes, without the footer.
    var length: Int
    var picture: CompactHeader
    /// The number of names that refer to the file; always 1 for a rendition.
    var references: UInt32 = 1
    /// The access time of a rendition; originals use the access times of their names.
    var accessed: UInt32
    var recorded: UInt32
    /// Stamp of the file when its checksum was verified, see `FileState`; 0 if it was not verified since the
    /// start.
    var verified: UInt32 = 0

    /// The longest body in bytes that a row or a footer may declare: 64 GiB, far more than is fetched or made. The sum of a
    /// hundred million such bodies still fits an Int.
    static let longest = 64 << 30

    /// Bytes that the file occupies: whole blocks of 4 KiB, as in most file systems.
    var size: Int { (length + Footer.size + 4095) & ~4095 }
}

/// An `ImageHeader` in 16 bytes.
struct CompactHeader: Sendable, Hashable {
    var width: UInt32
    var height: UInt32
    var pages: UInt32
    var format: ImageFormat
    var orientation: UInt8
    var traits: ImageHeader.Traits

    init(_ header: ImageHeader) {
        width = UInt32(clamping: header.width)
        height = UInt32(clamping: header.height)
        pages = UInt32(clamping: header.pages)
        format = header.format
        orientation = UInt8(clamping: header.orientation)
        traits = header.traits
    }

    var header: ImageHeader {
        var header = ImageHeader(
            format: format, width: Int(width), height: Int(height), pages: Int(pages),
            orientation: Int(orientation))
        header.traits = traits
        return header
    }
}

extension Rendition {
    init(_ entry: FileEntry) {
        self.init(
            key: RenditionKey(entry.key), format: entry.picture.format, width: Int(entry.picture.width),
            height: Int(entry.picture.height), pages: Int(entry.picture.pages), length: entry.length)
    }

    var picture: CompactHeader {
        CompactHeader(ImageHeader(format: format, width: width, height: height, pages: pages))
    }
}
