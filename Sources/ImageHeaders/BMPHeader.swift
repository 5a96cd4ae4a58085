// SPDX-License-Identifier: Apache-2.0

/// BMP: the BITMAPCOREHEADER (12 bytes, 16-bit sides) or any later header (32-bit sides; a negative height
/// means top-down).
enum BMPHeader {
    static func parse(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ImageHeader {
        if try reader.little32(at: 14) == 12 {
            return ImageHeader(
                format: .bmp, width: try reader.little16(at: 18), height: try reader.little16(at: 20))
        }
        let height = Int32(truncatingIfNeeded: try reader.little32(at: 22))
        return ImageHeader(
            format: .bmp, width: try reader.little32(at: 18), height: Int(height.magnitude))
    }
}
