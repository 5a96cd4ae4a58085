// SPDX-License-Identifier: Apache-2.0

/// Exif 2.32 §4.5: a TIFF stream, with or without "Exif\0\0" before it.
enum EXIF {
    /// The orientation, 1…8. Nil if there is none, or if the EXIF data are damaged, which does not make the
    /// picture damaged.
    static func orientation(_ reader: inout HeaderReader, in range: Range<Int>) -> Int? {
        guard let stream = stream(&reader, in: range), !stream.isBig else { return nil }
        return (try? stream.directory(&reader, at: stream.firstDirectory))?.orientation
    }

    /// Nil if the bytes do not begin as a TIFF stream.
    static func stream(_ reader: inout HeaderReader, in range: Range<Int>) -> TIFFStream? {
        guard let isPrefixed = try? reader.has("Exif\0\0", at: range.lowerBound) else { return nil }
        return try? TIFFStream(&reader, start: range.lowerBound + (isPrefixed ? 6 : 0))
    }
}
