// SPDX-License-Identifier: Apache-2.0
//
// The author and the copyright of a picture, by their places in files:
//
//     EXIF    Artist (315) and Copyright (33432) of the first directory (Exif 2.32 §4.6.4): texts that end with a zero; a
//             copyright may have two, the photographer's and the editor's
//     IPTC    by-line (2:80) and copyright notice (2:116), in JPEG
//     PNG     tEXt "Author" and "Copyright" (W3C PNG §11.3.3)
//
// EXIF comes first.

/// The lines about a picture's rights, cleaned: no control characters, and of a bounded length.
package struct PictureRights: Sendable, Hashable {
    /// Nil if the file does not say.
    package private(set) var artist: String?
    /// Nil if the file does not say.
    package private(set) var copyright: String?

    /// Texts that turned out to say nothing.
    private var blanks = 0

    /// Bytes of UTF-8 that are kept of each; the rest is cut off.
    package static let longest = 1_000
    /// Blank texts that are looked at. Cameras write one of each kind; a small file can hold a thousand, and to clean one takes a
    /// millisecond.
    private static let mostBlanks = 8

    /// Nothing is said.
    package init() {}

    /// True if nothing is said.
    package var isEmpty: Bool { artist == nil && copyright == nil }

    /// The rights in the file, as far as they can be read; a damaged part is passed over.
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

    /// The first that is said counts.
    mutating func take(artist found: [UInt8]?) { if artist == nil { artist = told(by: found) } }
    mutating func take(copyright found: [UInt8]?) { if copyright == nil { copyright = told(by: found) } }

    private mutating func told(by text: [UInt8]?) -> String? {
        guard let text, blanks < Self.mostBlanks else { return nil }
        let line = Self.clean(text)
        if line == nil { blanks += 1 }
        return line
    }

    /// Takes what is not said from another place.
    mutating func fill(from other: PictureRights) {
        artist = artist ?? other.artist
        copyright = copyright ?? other.copyright
    }

    /// UTF-8, else Latin-1. Parts that zeros part stand behind one another.
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
        // From the front: a string finds its last character by walking over all others.
        while end < line.endIndex {
            let next = line.index(after: end)
            count += line[end..<next].utf8.count
            guard count <= longest else { break }
            end = next
        }
        return String(line[..<end])
    }

    /// Without control and format characters, which can turn the direction of what follows; nil if no other is left.
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
