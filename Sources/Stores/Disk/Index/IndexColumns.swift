// SPDX-License-Identifier: Apache-2.0
//
// Conversions between the disk cache's values and the index's columns and parameters.

internal import Bytes
internal import Glibc
internal import HTTPCaching
internal import HTTPSemantics
internal import ImageHeaders
internal import Pipeline
internal import Recipes
internal import SourceURLs

extension Statement {
    // MARK: Parameters.

    /// - Parameter bytes: at least one, because SQLite would take none for NULL.
    borrowing func bind(_ index: Int32, _ bytes: [UInt8]) { bytes.withUnsafeBytes { bind(index, blob: $0) } }

    borrowing func bind(_ index: Int32, _ digest: Digest) {
        let words = digest.words
        bind(index, words: (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian))
    }

    borrowing func bind(_ index: Int32, _ key: NameKey) {
        bind(index, words: (key.words.0.bigEndian, key.words.1.bigEndian))
    }

    private borrowing func bind<Words>(_ index: Int32, words: Words) {
        withUnsafeBytes(of: words) { bind(index, blob: $0) }
    }

    /// Binds seven parameters, from `first` on.
    borrowing func bind(_ first: Int32, _ freshness: Freshness) {
        bind(first, freshness.responseTime.milliseconds)
        bind(first + 1, Int64(freshness.initialAge))
        bind(first + 2, Int64(freshness.lifetime))
        bind(first + 3, Int64(freshness.clientLifetime))
        bind(first + 4, Int64(freshness.staleWhileRevalidate))
        bind(first + 5, Int64(freshness.staleIfError))
        bind(first + 6, Int64(freshness.flags.rawValue))
    }

    borrowing func bind(_ original: Original, fields: String, accessed: UInt32) {
        bind(1, NameKey(original.key))
        bind(2, original.key.text)
        bind(3, original.digest.digest)
        bind(4, original.length)
        bind(5, Int64(original.header.format.rawValue))
        bind(6, original.header.width)
        bind(7, original.header.height)
        bind(8, original.header.pages)
        bind(9, original.header.orientation)
        bind(10, Int64(original.header.traits.rawValue))
        bind(11, original.lastModified)
        bind(12, original.freshness)
        bind(19, fields)
        bind(20, accessed)
    }

    borrowing func bind(_ index: Int32, _ moment: Timestamp?) {
        if let moment { bind(index, moment.milliseconds) } else { bindNull(index) }
    }

    borrowing func bind(_ rendition: Rendition, of original: OriginalDigest?, accessed: UInt32) {
        bind(1, rendition.key.digest)
        bind(2, rendition.length)
        bind(3, Int64(rendition.format.rawValue))
        bind(4, rendition.width)
        bind(5, rendition.height)
        bind(6, rendition.pages)
        bind(7, accessed)
        if let original { bind(8, original.shortName) } else { bindNull(8) }
    }

    borrowing func bind(madeFor url: String?) {
        if let url { bind(9, url.asMadeFor) } else { bindNull(9) }
    }

    // MARK: Columns, in the order of `IndexLoader.load`. Nil for an invalid row.

    borrowing func digest(_ column: Int32) -> Digest? { Digest(blob(column)) }

    borrowing func nameKey(_ column: Int32) -> NameKey? {
        let bytes = blob(column)
        guard bytes.count == 16 else { return nil }
        return NameKey(
            words: (
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            ))
    }

    borrowing func file(keyColumn: Int32) -> FileEntry? {
        guard let key = digest(keyColumn), let format = UInt8(exactly: integer(3)).flatMap(ImageFormat.init),
            let length = number(2, in: 0...FileEntry.longest), let width = number(4, in: Self.sides),
            let height = number(5, in: Self.sides), let pages = number(6, in: 1...Self.mostPages),
            let orientation = number(7, in: 1...8), let traits = UInt16(exactly: integer(8))
        else { return nil }
        var header = ImageHeader(
            format: format, width: width, height: height, pages: pages, orientation: orientation)
        header.traits = ImageHeader.Traits(rawValue: traits)
        let accessed = UInt32(clamping: integer(9))
        return FileEntry(
            key: key, length: length, picture: CompactHeader(header), accessed: accessed,
            recorded: accessed)
    }

    borrowing func name() -> NameEntry? {
        guard let key = nameKey(0), let digest = digest(1), let freshness = freshness(11) else { return nil }
        let accessed = UInt32(clamping: integer(9))
        return NameEntry(
            key: key, digest: digest, freshness: freshness, lastModified: isNull(10) ? nil : moment(10),
            isVariant: hasMark(18), isTagged: integer(20) != 0, accessed: accessed, recorded: accessed,
            excess: NameEntry.excess(url: blob(18).count, fields: blob(19).count))
    }

    /// True if the text has a `#`, as the text of a variant's key does.
    private borrowing func hasMark(_ column: Int32) -> Bool {
        let text = blob(column)
        guard let start = text.baseAddress else { return false }
        return memchr(start, 0x23, text.count) != nil
    }

    private borrowing func freshness(_ first: Int32) -> Freshness? {
        guard let responseTime = moment(first) else { return nil }
        func seconds(_ column: Int32) -> Int32 { Int32(clamping: max(0, integer(column))) }
        return Freshness(
            responseTime: responseTime, initialAge: seconds(first + 1), lifetime: seconds(first + 2),
            clientLifetime: seconds(first + 3),
            staleWhileRevalidate: seconds(first + 4), staleIfError: seconds(first + 5),
            flags: Freshness.Flags(rawValue: UInt16(truncatingIfNeeded: integer(first + 6))))
    }

    /// A time; nil if its year cannot be expressed in HTTP.
    private borrowing func moment(_ column: Int32) -> Timestamp? {
        let moment = Timestamp(milliseconds: integer(column))
        return Timestamp.fourDigitYears.contains(moment) ? moment : nil
    }

    /// A number; nil if it is outside of the bounds, on which later arithmetic relies.
    private borrowing func number(_ column: Int32, in bounds: ClosedRange<Int>) -> Int? {
        Int(exactly: integer(column)).flatMap { bounds.contains($0) ? $0 : nil }
    }

    /// The range of a width or height in pixels; 0 if a header does not tell. Decoders accept at most 31 bits.
    private static var sides: ClosedRange<Int> { 0...Int(Int32.max) }
    private static var mostPages: Int { Int(UInt32.max) }
}

extension OriginalDigest {
    /// The digest's first 8 bytes, by which the index refers to a rendition's original.
    var shortName: Int64 { Int64(bitPattern: digest.words.0) }
}

extension String {
    /// The beginning of a URL (512 bytes), which the index stores with a rendition that was made for the URL. It is cut because
    /// clients choose the length of URLs, and nothing is charged for a rendition's row besides its file. If two URLs only differ
    /// behind that, a purge of one removes the other's renditions, too.
    var asMadeFor: String {
        let longest = 512
        return utf8.count <= longest ? self : String(decoding: utf8.prefix(longest), as: UTF8.self)
    }
}
