// SPDX-License-Identifier: Apache-2.0
//
// GIF89a. Signature (6), logical screen (7), global colour table; then blocks: 21 label sub-blocks (extension),
// 2C descriptor (9), local colour table, code size, sub-blocks (image), 3B (end). A sub-block is a length byte and
// that many bytes; length 0 ends the list.

enum GIFHeader {
    static func parse(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ImageHeader {
        var header = ImageHeader(
            format: .gif, width: try reader.little16(at: 6), height: try reader.little16(at: 8), pages: 0)
        var offset = 13 + colourTable(try reader.byte(at: 10))
        // Where the blocks are cut short or make no sense, the frames until there are the animation.
        while let next = try? readBlock(&reader, at: offset, into: &header) { offset = next }
        guard header.pages > 0 else { throw .damaged }
        return header
    }

    /// Where the next block begins; throws at the last.
    private static func readBlock(
        _ reader: inout HeaderReader, at offset: Int, into header: inout ImageHeader
    ) throws(ImageHeaderError) -> Int {
        switch try reader.byte(at: offset) {
        case 0x21:
            // §23: the graphic control extension's flags, of which the lowest is transparency.
            if try reader.byte(at: offset + 1) == 0xF9, try reader.byte(at: offset + 3) & 1 != 0 {
                header.hasAlpha = true
            }
            return try skipSubBlocks(&reader, from: offset + 2)
        case 0x2C:
            header.pages += 1
            let data = offset + 10 + colourTable(try reader.byte(at: offset + 9)) + 1
            return try skipSubBlocks(&reader, from: data)
        default:
            throw .damaged
        }
    }

    /// Bytes of the table that a packed field announces (§18, §20).
    private static func colourTable(_ packed: UInt8) -> Int {
        packed & 0x80 == 0 ? 0 : 3 << (Int(packed & 7) + 1)
    }

    private static func skipSubBlocks(
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
