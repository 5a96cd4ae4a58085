// SPDX-License-Identifier: Apache-2.0

/// ICO: the size is that of the largest picture, with which the limits are checked, whichever picture is
/// used.
enum ICOHeader {
    static func parse(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ImageHeader {
        let directory = try IconDirectory(&reader)
        guard let largest = directory.largest?.size else { throw .damaged }
        return ImageHeader(
            format: .ico, width: largest.width, height: largest.height, pages: directory.count,
            hasAlpha: true)
    }
}
