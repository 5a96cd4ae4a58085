// SPDX-License-Identifier: Apache-2.0

/// The density that a JPEG tells, in pixels per inch: that of JFIF (ITU-T T.871 §10.1), which may only give a ratio, else that
/// of EXIF.
package struct JPEGDensity: Sendable, Hashable {
    /// Pixels per inch across the stored picture.
    package let across: Double
    /// Pixels per inch down the stored picture.
    package let down: Double

    /// Nil for numbers that no picture has.
    private init?(across: Double, down: Double) {
        let plausible = 1...Double(ImageDetails.highestDensity)
        guard plausible.contains(across), plausible.contains(down) else { return nil }
        (self.across, self.down) = (across, down)
    }

    /// Nil if the file tells no density.
    package static func read(_ source: some HeaderSource) -> JPEGDensity? {
        var reader = HeaderReader(source)
        return read(&reader)
    }

    static func read(_ reader: inout HeaderReader) -> JPEGDensity? {
        var offset = 2
        var inEXIF: JPEGDensity?
        while let segment = try? JPEGHeader.nextSegment(&reader, from: offset),
            ![0xDA, 0xD9].contains(segment.marker)
        {
            let start = segment.payload.lowerBound
            if segment.marker == 0xE0, segment.payload.count >= 12, let told = try? jfif(&reader, at: start) {
                return told
            }
            if segment.marker == 0xE1, inEXIF == nil { inEXIF = try? exif(&reader, at: start) }
            offset = segment.payload.upperBound
        }
        return inEXIF
    }

    private static func jfif(_ reader: inout HeaderReader, at start: Int) throws(ImageHeaderError)
        -> JPEGDensity?
    {
        guard try reader.has("JFIF\0", at: start) else { return nil }
        let unit = try reader.byte(at: start + 7)
        let (across, down) = (try reader.big16(at: start + 8), try reader.big16(at: start + 10))
        // 1 by 1 is the ratio of square pixels, whatever unit stands beside it.
        guard unit == 1 || unit == 2, across > 1 || down > 1 else { return nil }
        let units = unit == 1 ? 1 : 2.54
        return JPEGDensity(across: Double(across) * units, down: Double(down) * units)
    }

    private static func exif(_ reader: inout HeaderReader, at start: Int) throws(ImageHeaderError)
        -> JPEGDensity?
    {
        guard try reader.has("Exif\0\0", at: start) else { return nil }
        let stream = try TIFFStream(&reader, start: start + 6)
        guard let across = try stream.fraction(282, &reader), let units = try stream.unitsPerInch(&reader)
        else { return nil }
        let down = try stream.fraction(283, &reader) ?? across
        return JPEGDensity(across: across * units, down: down * units)
    }
}
