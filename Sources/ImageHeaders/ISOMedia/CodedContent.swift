// SPDX-License-Identifier: Apache-2.0

/// What a decoder makes of coded bytes. It shows what it has come to before a damaged unit, and passes over any number of those
/// that mean nothing.
struct CodedContent {
    /// Frames of an item: one, or one for each layer of a picture that comes in several. Further ones are not shown, and
    /// decoded all the same.
    private static let layers = 4

    /// Pixels of the largest frame that may be.
    private var largest = 0
    private var frames = 0
    /// The last one of AV1.
    private var sequence: AV1FrameHead?

    /// Pixels that are decoded, beyond those of the layers that a picture may have.
    var pixels: Int { Int(saturatingProduct: largest, max(1, frames / Self.layers)) }

    /// OBUs. The sizes are those of sequence headers (AV1 §5.5), unless a frame has its own.
    mutating func readAV1(_ reader: inout HeaderReader, in bytes: Range<Int>) {
        var units = AV1Units(bytes)
        while let unit = try? units.next(&reader) {
            switch unit.type {
            case 1:
                let header = AV1SequenceHeader.begun(&reader, of: unit.content)
                take(header.size)
                sequence = header.frames
            // The header of a frame, alone or with its tiles.
            case 3, 6:
                frames += 1
                if let size = sequence?.ownSize(of: unit.content, &reader) { take(size) }
            default: break
            }
        }
    }

    /// Units of HEVC, each behind its length. That has 4 bytes, as libheif reads it whatever `hvcC` says.
    mutating func readHEVC(_ reader: inout HeaderReader, in bytes: Range<Int>) {
        var offset = bytes.lowerBound
        while bytes.upperBound - offset > 4, let told = try? reader.big32(at: offset) {
            let length = min(told, bytes.upperBound - offset - 4)
            let unit = (offset + 4)..<(offset + 4 + length)
            if let size = HEVCSequenceHeader.size(&reader, of: unit) { take(size) }
            if HEVCSequenceHeader.beginsPicture(&reader, unit) { frames += 1 }
            offset = unit.upperBound
        }
    }

    mutating func take(_ size: PixelSize) { largest = max(largest, size.area) }
}
