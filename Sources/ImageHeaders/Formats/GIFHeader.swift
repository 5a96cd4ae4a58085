// SPDX-License-Identifier: Apache-2.0
//
// GIF89a. Signature (6), logical screen (7), global colour table; then blocks: 21 label sub-blocks
// (extension), 2C descriptor (9), local colour table, code size, sub-blocks (image), 3B (end). A sub-block is
// a length byte and that many bytes; length 0 ends the list.
//
// The size is not always the declared one. Like libvips' decoder (libnsgif), this parser lets the first frame enlarge the
// screen, and takes the first frame's size if the screen's is implausible, as in damaged files.

package enum GIFHeader {
    static func parse(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ImageHeader {
        var header = ImageHeader(
            format: .gif, width: try reader.little16(at: 6), height: try reader.little16(at: 8), pages: 0)
        var offset = 13 + colourTable(try reader.byte(at: 10))
        // If the blocks break off or are malformed, the frames before that are the animation.
        while let next = try? readBlock(&reader, at: offset, into: &header) { offset = next }
        guard header.pages > 0 else { throw .damaged }
        return header
    }

    /// libnsgif's canvas for a declared screen and the right bottom corner of the first frame.
    package static func canvas(_ screen: PixelSize, firstFrame end: PixelSize) -> PixelSize {
        let sides = 1...2_048
        guard sides.contains(screen.width), sides.contains(screen.height) else { return end }
        return PixelSize(width: max(screen.width, end.width), height: max(screen.height, end.height))
    }

    /// The two names of the extension that contains the loop count.
    package static let loopExtensions = ["NETSCAPE2.0", "ANIMEXTS1.0"]

    /// The offset of the next block; throws at the last one.
    private static func readBlock(
        _ reader: inout HeaderReader, at offset: Int, into header: inout ImageHeader
    ) throws(ImageHeaderError) -> Int {
        switch try reader.byte(at: offset) {
        case 0x21:
            // §23: the lowest flag of the graphic control extension is transparency.
            if try reader.byte(at: offset + 1) == 0xF9, try reader.byte(at: offset + 3) & 1 != 0 {
                header.hasAlpha = true
            }
            return try skipExtension(&reader, at: offset)
        case 0x2C:
            return try readFrame(&reader, at: offset, into: &header)
        default:
            throw .damaged
        }
    }

    private static func readFrame(
        _ reader: inout HeaderReader, at offset: Int, into header: inout ImageHeader
    ) throws(ImageHeaderError) -> Int {
        let left = try reader.little16(at: offset + 1)
        let top = try reader.little16(at: offset + 3)
        let width = try reader.little16(at: offset + 5)
        let height = try reader.little16(at: offset + 7)
        let codeSize = offset + 10 + colourTable(try reader.byte(at: offset + 9))
        if header.pages == 0 {
            let canvas = canvas(
                header.stored, firstFrame: PixelSize(width: left + width, height: top + height))
            (header.width, header.height) = (max(1, canvas.width), max(1, canvas.height))
            // The canvas around the first frame is transparent, whatever the frames' flags say.
            if header.stored != PixelSize(width: width, height: height) { header.hasAlpha = true }
        }
        // LZW codes have at most 12 bits. A frame counts if it has any data, and the trailer of the file is
        // none.
        guard try reader.byte(at: codeSize) < 12 else { throw .damaged }
        let first = try reader.byte(at: codeSize + 1)
        guard first != 0x3B || codeSize + 2 < reader.length else { throw .damaged }
        header.pages += 1
        return try skipSubBlocks(&reader, from: codeSize + 1)
    }

    /// The length in bytes of the colour table that a packed field announces (§18, §20).
    package static func colourTable(_ packed: UInt8) -> Int {
        packed & 0x80 == 0 ? 0 : 3 << (Int(packed & 7) + 1)
    }

    /// The offset behind an extension. Like libnsgif, this skips the first sub-block even if its length is 0, except for
    /// comments; otherwise data could be taken for a frame.
    static func skipExtension(
        _ reader: inout HeaderReader, at offset: Int
    ) throws(ImageHeaderError) -> Int {
        let first = offset + 2
        guard try reader.byte(at: offset + 1) != 0xFE else { return try skipSubBlocks(&reader, from: first) }
        let length = Int(try reader.byte(at: first))
        return try skipSubBlocks(&reader, from: first + 1 + length)
    }

    static func skipSubBlocks(
        _ reader: inout HeaderReader, from start: Int
    ) throws(ImageHeaderError) -> Int {
        var offset = start
        while true {
            let length = Int(try reader.byte(at: offset))
            offset += 1 + length
            if length == 0 { return offset }
        }
    }
}
