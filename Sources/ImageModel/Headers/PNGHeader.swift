// SPDX-License-Identifier: Apache-2.0
//
// W3C PNG (Third Edition) §5 and §11. Signature, then chunks: 32-bit length, type, data, CRC. IHDR is first;
// what concerns the whole picture stands before the first IDAT. Animated PNGs are read as the still that they
// contain.

enum PNGHeader {
    static func parse(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ImageHeader {
        guard try reader.big32(at: 8) == 13, try reader.has("IHDR", at: 12) else { throw .damaged }
        var header = ImageHeader(
            format: .png, width: try reader.big32(at: 16), height: try reader.big32(at: 20))
        // Colour types 4 and 6: greyscale and truecolour with alpha.
        header.hasAlpha = try reader.byte(at: 25) & 4 != 0
        readAncillary(&reader, into: &header)
        return header
    }

    /// tRNS and eXIf. Where the chunks are cut short, what was read holds; the decoder will find the damage.
    private static func readAncillary(_ reader: inout HeaderReader, into header: inout ImageHeader) {
        var offset = 33
        while let length = try? reader.big32(at: offset),
            let type = try? reader.bytes(at: offset + 4, count: 4)
        {
            guard length <= reader.length - offset - 8 else { return }
            let data = (offset + 8)..<(offset + 8 + length)
            switch String(decoding: type, as: UTF8.self) {
            case "tRNS": header.hasAlpha = true
            case "eXIf": header.orientation = EXIF.orientation(&reader, in: data) ?? 1
            case "IDAT", "IEND": return
            default: break
            }
            offset = data.upperBound + 4
        }
    }
}
