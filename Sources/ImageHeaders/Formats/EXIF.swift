// SPDX-License-Identifier: Apache-2.0

/// Exif 2.32 §4.5: a TIFF stream, with or without "Exif\0\0" before it.
enum EXIF {
    /// The orientation, 1…8; nil if there is none, or it is damaged, which does not make the picture damaged.
    static func orientation(_ reader: inout HeaderReader, in range: Range<Int>) -> Int? {
        var start = range.lowerBound
        guard let isPrefixed = try? reader.has("Exif\0\0", at: start) else { return nil }
        if isPrefixed { start += 6 }
        guard let stream = try? TIFFStream(&reader, start: start), !stream.isBig,
            let directory = try? stream.directory(&reader, at: stream.firstDirectory)
        else { return nil }
        return directory.orientation
    }
}
