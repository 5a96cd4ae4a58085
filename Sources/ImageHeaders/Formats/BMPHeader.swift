// SPDX-License-Identifier: Apache-2.0

/// BMP: the BITMAPCOREHEADER (12 bytes, 16-bit sides) or any later header (32-bit sides; a negative height
/// means top-down).
enum BMPHeader {
    static func parse(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ImageHeader {
        let length = try reader.little32(at: 14)
        if length == 12 {
            return ImageHeader(
                format: .bmp, width: try reader.little16(at: 18), height: try reader.little16(at: 20))
        }
        let height = Int32(truncatingIfNeeded: try reader.little32(at: 22))
        var header = ImageHeader(
            format: .bmp, width: try reader.little32(at: 18), height: Int(height.magnitude))
        guard length >= 40, let coding = try? reader.little32(at: 30) else { return header }
        header.isDecodable = isRead(coding, length)
        // BI_BITFIELDS and BI_ALPHABITFIELDS: the mask for alpha follows those of the colours.
        let hasMask = coding == 3 && length >= 56 && length != 64 || coding == 6
        header.hasAlpha = hasMask && (try? reader.little32(at: 66)) ?? 0 != 0
        return header
    }

    /// True for BI_RGB, BI_RLE8, BI_RLE4 and bit fields. Not read are JPEG and PNG within a bitmap, CMYK, and the
    /// codings of OS/2's header of 64 bytes: Huffman codes (3) and runs of 24 bits (4).
    private static func isRead(_ coding: Int, _ length: Int) -> Bool {
        length == 64 ? (0...2).contains(coding) : [0, 1, 2, 3, 6].contains(coding)
    }
}
