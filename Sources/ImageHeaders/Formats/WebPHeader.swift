// SPDX-License-Identifier: Apache-2.0
//
// RFC 9649. "RIFF", 32-bit length, "WEBP", then chunks: type, 32-bit length, data, padded to an even length.
// The first is VP8 (lossy), VP8L (lossless) or VP8X (extended: flags, canvas; frames in ANMF chunks, EXIF
// near the end).

enum WebPHeader {
    static func parse(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ImageHeader {
        if try reader.has("VP8 ", at: 12) { return try lossy(&reader, at: 20) }
        if try reader.has("VP8L", at: 12) { return try lossless(&reader, at: 20) }
        if try reader.has("VP8X", at: 12) { return try extended(&reader, at: 20) }
        throw .damaged
    }

    /// RFC 6386 §9.1: frame tag (3), start code 9D 01 2A, 14-bit width and height with 2 bits of scale above
    /// each.
    private static func lossy(
        _ reader: inout HeaderReader, at start: Int
    ) throws(ImageHeaderError) -> ImageHeader {
        guard try reader.bytes(at: start + 3, count: 3) == [0x9D, 0x01, 0x2A] else { throw .damaged }
        return ImageHeader(
            format: .webp, width: try reader.little16(at: start + 6) & 0x3FFF,
            height: try reader.little16(at: start + 8) & 0x3FFF)
    }

    /// RFC 9649 §3.4: 2F, then 14 bits width − 1, 14 bits height − 1, alpha.
    private static func lossless(
        _ reader: inout HeaderReader, at start: Int
    ) throws(ImageHeaderError) -> ImageHeader {
        guard try reader.byte(at: start) == 0x2F else { throw .damaged }
        let bits = try reader.little32(at: start + 1)
        return ImageHeader(
            format: .webp, width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1,
            hasAlpha: bits >> 28 & 1 != 0)
    }

    /// RFC 9649 §2.7: flags (ICC 20, alpha 10, Exif 08, XMP 04, animation 02), reserved (3), 24-bit canvas
    /// sides − 1.
    private static func extended(
        _ reader: inout HeaderReader, at start: Int
    ) throws(ImageHeaderError) -> ImageHeader {
        let flags = try reader.byte(at: start)
        var header = ImageHeader(
            format: .webp, width: try reader.little24(at: start + 4) + 1,
            height: try reader.little24(at: start + 7) + 1, hasAlpha: flags & 0x10 != 0)
        guard flags & 0x0A != 0 else { return header }
        var frames = 0
        var framesHaveAlpha = false
        var canvas = WebPCanvas(header.stored)
        walkChunks(&reader, from: 12) { reader, type, data in
            if type == "ANMF" {
                frames += 1
                try? canvas.show(&reader, frame: data)
                if (try? hasAlpha(&reader, frame: data)) == true { framesHaveAlpha = true }
            }
            if type == "EXIF", flags & 0x08 != 0 {
                header.orientation = EXIF.orientation(&reader, in: data) ?? 1
            }
        }
        if flags & 0x02 != 0 {
            guard frames > 0 else { throw .damaged }
            header.pages = frames
            // The flag covers only the frames' own alpha, and libwebp's decoder does not need it for that. A still picture
            // without the flag is opaque, whatever its chunks contain.
            if framesHaveAlpha || canvas.wasSeenThrough { header.hasAlpha = true }
        }
        return header
    }

    /// Whether a frame has alpha: it begins with an ALPH chunk, which lossy colours follow, or it is lossless and has its alpha
    /// bit set. An ALPH chunk at another place makes no picture.
    /// - Parameter frame: the range of the chunk's data (`WebPCanvas`).
    private static func hasAlpha(
        _ reader: inout HeaderReader, frame: Range<Int>
    ) throws(ImageHeaderError) -> Bool {
        // The frame's own header, and that of a chunk.
        guard frame.count >= 24 else { return false }
        let start = frame.lowerBound + 16
        if try reader.has("ALPH", at: start) { return true }
        // A lossless picture's header has five more bytes.
        guard frame.count >= 29, try reader.has("VP8L", at: start), try reader.little32(at: start + 4) >= 5
        else { return false }
        return try lossless(&reader, at: start + 8).hasAlpha
    }

    /// Calls `visit` for every complete chunk.
    static func walkChunks(
        _ reader: inout HeaderReader, from start: Int,
        visit: (inout HeaderReader, _ type: String, _ data: Range<Int>) -> Void
    ) {
        var offset = start
        while let type = try? reader.bytes(at: offset, count: 4),
            let length = try? reader.little32(at: offset + 4), length <= reader.length - offset - 8
        {
            let data = (offset + 8)..<(offset + 8 + length)
            visit(&reader, String(decoding: type, as: UTF8.self), data)
            offset = data.upperBound + length % 2
        }
    }
}
