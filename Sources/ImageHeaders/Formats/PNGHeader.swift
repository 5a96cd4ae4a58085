// SPDX-License-Identifier: Apache-2.0
//
// W3C PNG (Third Edition) §5 and §11. Signature, then chunks: 32-bit length, type, data, CRC. IHDR is first;
// chunks about the whole picture come before the first IDAT. Animated PNGs are read as the still that they
// contain.

enum PNGHeader {
    static func parse(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ImageHeader {
        guard try reader.big32(at: 8) == 13, try reader.has("IHDR", at: 12) else { throw .damaged }
        var header = ImageHeader(
            format: .png, width: try reader.big32(at: 16), height: try reader.big32(at: 20))
        // Colour types 4 and 6: greyscale and truecolour with alpha.
        header.hasAlpha = try reader.byte(at: 25) & 4 != 0
        header.isDeep = try reader.byte(at: 24) > 8
        header.isProgressive = try reader.byte(at: 28) != 0
        try readAncillary(&reader, into: &header)
        return header
    }

    /// Reads tRNS and eXIf up to the first IDAT. A file without IDAT, or with a chunk before it that is
    /// longer than the file, has no pixels. Data behind IDAT are left to the decoder.
    private static func readAncillary(
        _ reader: inout HeaderReader, into header: inout ImageHeader
    ) throws(ImageHeaderError) {
        var offset = behindIHDR
        while let chunk = try ancillaryChunk(&reader, at: offset) {
            if chunk.type == "tRNS" { header.hasAlpha = true }
            if chunk.type == "eXIf" { header.orientation = EXIF.orientation(&reader, in: chunk.data) ?? 1 }
            offset = chunk.end
        }
    }

    /// The offset of the chunk that follows IHDR.
    static let behindIHDR = 33

    struct Chunk {
        var type: String
        var data: Range<Int>
        /// The offset behind the checksum.
        var end: Int { data.upperBound + 4 }
    }

    /// The chunk at this offset, which may be longer than the file.
    static func chunk(_ reader: inout HeaderReader, at offset: Int) throws(ImageHeaderError) -> Chunk {
        let length = try reader.big32(at: offset)
        let type = String(decoding: try reader.bytes(at: offset + 4, count: 4), as: UTF8.self)
        return Chunk(type: type, data: (offset + 8)..<(offset + 8 + length))
    }

    /// The chunk at this offset; nil if it is the first IDAT.
    static func ancillaryChunk(
        _ reader: inout HeaderReader, at offset: Int
    ) throws(ImageHeaderError) -> Chunk? {
        let chunk = try chunk(&reader, at: offset)
        if chunk.type == "IDAT" { return nil }
        guard chunk.type != "IEND", chunk.data.upperBound <= reader.length else { throw .damaged }
        return chunk
    }
}
