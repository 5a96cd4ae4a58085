// SPDX-License-Identifier: Apache-2.0

/// ICO: reserved (2), type 1 (2), number of pictures (2), then 16 bytes for each, of which the first two are
/// width and height; 0 means 256.
enum ICOHeader {
    static func parse(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ImageHeader {
        let pictures = try reader.little16(at: 4)
        let width = Int(try reader.byte(at: 6))
        let height = Int(try reader.byte(at: 7))
        return ImageHeader(
            format: .ico, width: width == 0 ? 256 : width, height: height == 0 ? 256 : height,
            pages: pictures,
            hasAlpha: true)
    }
}
