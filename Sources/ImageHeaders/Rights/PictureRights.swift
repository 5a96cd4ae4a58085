// SPDX-License-Identifier: Apache-2.0
//
// The author and the copyright of a picture, and where files store them:
//
//     EXIF    Artist (315) and Copyright (33432) of the first directory (Exif 2.32 §4.6.4): texts that end with a zero; a
//             copyright may have two, the photographer's and the editor's
//     IPTC    by-line (2:80) and copyright notice (2:116), in JPEG
//     PNG     tEXt "Author" and "Copyright" (W3C PNG §11.3.3)
//
// EXIF takes precedence.

/// The texts about a picture's rights, cleaned: without control characters, and of a bounded length.
package struct PictureRights: Sendable, Hashable {
    /// Nil if the file names no artist.
    package private(set) var artist: String?
    /// Nil if the file names no copyright.
    package private(set) var copyright: String?

    /// The number of texts that turned out blank.
    private var blanks = 0

    /// The most bytes of UTF-8 that are kept of each text; the rest is cut off.
    package static let longest = 1_000
    /// The most blank texts that are cleaned. Cameras write one of each kind. A small file can hold a thousand, and cleaning one
    /// takes a millisecond.
    private static let mostBlanks = 8

    /// No artist and no copyright.
    package init() {}

    /// True if there is neither an artist nor a copyright.
    package var isEmpty: Bool { artist == nil && copyright == nil }

    /// The rights in the file, as far as they can be read; damaged parts are skipped.
    package static func read(_ source: some HeaderSource, _ format: ImageFormat) -> PictureRights {
        var reader = HeaderReader(source)
        var rights = PictureRights()
        switch format {
        case .jpeg: rights.readJPEG(&reader)
        case .png: rights.readPNG(&reader)
        case .webp:
            WebPHeader.walkChunks(&reader, from: 12) { reader, type, data in
                if type == "EXIF" { rights.readEXIF(&reader, in: data) }
            }
        case .avif, .heic: rights.readHEIF(&reader)
        case .tiff: rights.readEXIF(&reader, in: 0..<reader.length)
        case .gif, .jxl, .svg, .bmp, .ico, .pdf: break
        }
        return rights
    }

    /// The first text counts.
    mutating func take(artist found: [UInt8]?) { if artist == nil { artist = told(by: found) } }
    mutating func take(copyright found: [UInt8]?) { if copyright == nil { copyright = told(by: found) } }

    private mutating func told(by text: [UInt8]?) -> String? {
        guard let text, blanks < Self.mostBlanks else { return nil }
        let line = Self.clean(text)
        if line == nil { blanks += 1 }
        return line
    }

    /// Takes missing texts from another place.
    mutating func fill(from other: PictureRights) {
        artist = artist ?? other.artist
        copyright = copyright ?? other.copyright
    }

    /// Interprets the bytes as UTF-8, or else as Latin-1. Parts that are separated by zeros are joined with
    /// "; ".
    private static func clean(_ bytes: [UInt8]) -> String? {
        let parts = bytes.split(separator: 0).compactMap { part -> String? in
            let text =
                String(validating: part, as: UTF8.self)
                ?? String(String.UnicodeScalarView(part.map { Unicode.Scalar($0) }))
            return words(text)
        }
        let line = start(of: parts.joined(separator: "; "))
        return line.isEmpty ? nil : line
    }

    /// As many whole characters as may be kept.
    private static func start(of line: String) -> String {
        var (end, count) = (line.startIndex, 0)
        // From the front, because a string finds its last character only by passing all others.
        while end < line.endIndex {
            let next = line.index(after: end)
            count += line[end..<next].utf8.count
            guard count <= longest else { break }
            end = next
        }
        return String(line[..<end])
    }

    /// Removes control and format characters, which can reverse the direction of the following text. Nil if nothing
    /// else is left.
    private static func words(_ text: String) -> String? {
        let seen = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format, .privateUse, .unassigned: " "
            default: scalar
            }
        }
        let words = String(String.UnicodeScalarView(seen)).split(separator: " ")
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}
