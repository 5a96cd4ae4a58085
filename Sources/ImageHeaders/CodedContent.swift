// SPDX-License-Identifier: Apache-2.0

/// What a decoder makes of coded bytes. It shows what it has come to before a damaged unit, and passes over any number of those
/// that mean nothing.
struct CodedContent {
    /// The largest size that is told, which no frame exceeds; nil without one.
    private(set) var size: PixelSize?
    /// Frames, of which decoders show the first or the last.
    private(set) var frames = 0

    /// OBUs. The sizes are those of sequence headers (AV1 §5.9.5).
    static func av1(_ reader: inout HeaderReader, in bytes: Range<Int>) -> CodedContent {
        var (content, units) = (CodedContent(), AV1Units(bytes))
        while let unit = try? units.next(&reader) {
            switch unit.type {
            case 1: content.take(AV1SequenceHeader.size(&reader, of: unit.content))
            // The header of a frame, alone or with its tiles.
            case 3, 6: content.frames += 1
            default: break
            }
        }
        return content
    }

    /// Units of HEVC, each behind its length. That has 4 bytes, as libheif reads it whatever `hvcC` says.
    static func hevc(_ reader: inout HeaderReader, in bytes: Range<Int>) -> CodedContent {
        var (content, offset) = (CodedContent(), bytes.lowerBound)
        while bytes.upperBound - offset > 4, let told = try? reader.big32(at: offset) {
            let length = min(told, bytes.upperBound - offset - 4)
            let unit = (offset + 4)..<(offset + 4 + length)
            if let size = HEVCSequenceHeader.size(&reader, of: unit) { content.take(size) }
            if HEVCSequenceHeader.beginsPicture(&reader, unit) { content.frames += 1 }
            offset = unit.upperBound
        }
        return content
    }

    private mutating func take(_ other: PixelSize) {
        if other.area > size?.area ?? 0 { size = other }
    }
}
