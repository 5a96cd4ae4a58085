// SPDX-License-Identifier: Apache-2.0
//
// ICO: reserved (2), type 1 (2), number of pictures (2), then 16 bytes for each: width and height (a byte each),
// colours, reserved, planes (2), bits (2), length (4), offset (4). A picture is a PNG, or a bitmap whose header counts
// the rows of its mask in. A byte holds no side above 255, and programs write 0 for that, for 256, or for anything; so
// the size is what the picture itself says.

/// The pictures of an icon, as far as their headers.
package struct IconDirectory: Sendable {
    /// One picture.
    package struct Picture: Sendable, Hashable {
        /// Pixels, without the mask.
        package var size: PixelSize
        /// Bits a pixel; a PNG counts as 32.
        package var bits: Int
        /// True for a PNG, false for a bitmap.
        package var isPNG: Bool
        /// Where it stands in the file.
        package var bytes: Range<Int>
    }

    /// Entries that are looked at; files have a dozen at most.
    static let mostPictures = 256

    /// Pictures that the file says it has.
    package let count: Int
    /// The first of them in order; nil where the entry leads to no picture.
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

    /// The picture of the most pixels; of equal ones that of the most bits, and then the first.
    package var largest: Picture? { Self.largest(pictures.compactMap(\.self)) }

    /// As `largest`, of some.
    package static func largest(_ pictures: [Picture]) -> Picture? {
        pictures.reduce(nil) { best, picture in
            guard let best else { return picture }
            return (picture.size.area, picture.bits) > (best.size.area, best.bits) ? picture : best
        }
    }

    /// The picture of the fewest pixels; of equal ones as `largest`.
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
            // A negative height means that the first row comes first.
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
