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

    /// Reads tRNS and eXIf up to the first IDAT. A file that ends before it, or in a chunk longer than the
    /// file, has no pixels; the decoder judges the data behind it.
    private static func readAncillary(
        _ reader: inout HeaderReader, into header: inout ImageHeader
    ) throws(ImageHeaderError) {
        var offset = 33
        while true {
            let length = try reader.big32(at: offset)
            let type = String(decoding: try reader.bytes(at: offset + 4, count: 4), as: UTF8.self)
            if type == "IDAT" { return }
            guard type != "IEND", length <= reader.length - offset - 8 else { throw .damaged }
            let data = (offset + 8)..<(offset + 8 + length)
            if type == "tRNS" { header.hasAlpha = true }
            if type == "eXIf" { header.orientation = EXIF.orientation(&reader, in: data) ?? 1 }
            offset = data.upperBound + 4
        }
    }
}
