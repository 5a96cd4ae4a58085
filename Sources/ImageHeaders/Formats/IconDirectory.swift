// SPDX-License-Identifier: Apache-2.0
//
// ICO: reserved (2), type 1 (2), number of pictures (2), then 16 bytes for each: width and height (a byte each),
// colours, reserved, planes (2), bits (2), length (4), offset (4). A picture is a PNG, or a bitmap whose height
// includes the rows of its mask. A byte cannot hold a side above 255, and programs write 0 for 256 or for any size, so
// the size is read from the picture itself.

/// The pictures of an icon, with their headers.
package struct IconDirectory: Sendable {
    /// One picture.
    package struct Picture: Sendable, Hashable {
        /// The size in pixels, without the mask.
        package var size: PixelSize
        /// Bits a pixel; a PNG counts as 32.
        package var bits: Int
        /// True for a PNG, false for a bitmap.
        package var isPNG: Bool
        /// The picture's range in the file.
        package var bytes: Range<Int>
    }

    /// The most entries that are read; files have a dozen at most.
    static let mostPictures = 256

    /// The number of pictures that the file declares.
    package let count: Int
    /// The first pictures in order; nil for an entry that leads to no picture.
    package private(set) var pictures: [Picture?] = []

    /// - Throws: `.damaged` if the directory breaks off.
    package init(_ source: some HeaderSource) throws(ImageHeaderError) {
        var reader = HeaderReader(source)
        try self.init(&reader)
    }

    init(_ reader: inout HeaderReader) throws(ImageHeaderError) {
        count = try reader.little16(at: 4)
        for index in 0..<min(count, Self.mostPictures) {
            let length = try reader.little32(at: 14 + index * 16)
            let offset = try reader.little32(at: 18 + index * 16)
            pictures.append(try? Self.picture(at: offset, length: length, &reader))
        }
    }

    /// The picture with the most pixels; of equal ones the one with the most bits, and then the first.
    package var largest: Picture? { Self.largest(pictures.compactMap(\.self)) }

    /// The largest of these pictures, as in `largest`.
    package static func largest(_ pictures: [Picture]) -> Picture? {
        pictures.reduce(nil) { best, picture in
            guard let best else { return picture }
            return (picture.size.area, picture.bits) > (best.size.area, best.bits) ? picture : best
        }
    }

    /// The picture with the fewest pixels; ties are decided as in `largest`.
    package static func smallest(_ pictures: [Picture]) -> Picture? {
        pictures.reduce(nil) { best, picture in
            guard let best else { return picture }
            return (picture.size.area, -picture.bits) < (best.size.area, -best.bits) ? picture : best
        }
    }

    private static func picture(
        at offset: Int, length: Int, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> Picture {
        guard offset <= reader.length, length <= reader.length - offset, length > 24 else { throw .damaged }
        let start = try reader.big32(at: offset)
        var size: PixelSize
        var bits = 32
        if start == 0x8950_4E47 {
            size = PixelSize(
                width: try reader.big32(at: offset + 16), height: try reader.big32(at: offset + 20))
        } else if try reader.little32(at: offset) == 12 {
            size = PixelSize(
                width: try reader.little16(at: offset + 4), height: try reader.little16(at: offset + 6) / 2)
            bits = try reader.little16(at: offset + 10)
        } else {
            // A negative height means that the top row comes first.
            let rows = Int32(truncatingIfNeeded: try reader.little32(at: offset + 8)).magnitude
            size = PixelSize(width: try reader.little32(at: offset + 4), height: Int(rows / 2))
            bits = try reader.little16(at: offset + 14)
        }
        let sides = 1...ImageHeader.longestSide
        guard sides.contains(size.width), sides.contains(size.height) else { throw .damaged }
        return Picture(
            size: size, bits: bits, isPNG: start == 0x8950_4E47, bytes: offset..<(offset + length))
    }
}
