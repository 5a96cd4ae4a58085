// SPDX-License-Identifier: Apache-2.0

/// What a decoder makes of coded bytes. A decoder shows its result up to a damaged unit, and skips any number of meaningless
/// units.
struct CodedContent {
    /// Frames of an item: one, or one for each layer of a picture in several layers. Further frames are not shown, yet
    /// decoded.
    private static let layers = 4

    /// The most pixels that any frame may have.
    private var largest = 0
    private var frames = 0
    /// The latest AV1 sequence header.
    private var sequence: AV1FrameHead?

    /// The pixels that are decoded. They exceed one frame if there are more frames than a picture's layers.
    var pixels: Int { Int(saturatingProduct: largest, max(1, frames / Self.layers)) }

    /// Reads OBUs. Sizes come from sequence headers (AV1 §5.5), unless a frame has its own.
    mutating func readAV1(_ reader: inout HeaderReader, in bytes: Range<Int>) {
        var units = AV1Units(bytes)
        while let unit = try? units.next(&reader) {
            switch unit.type {
            case 1:
                let header = AV1SequenceHeader.begun(&reader, of: unit.content)
                take(header.size)
                sequence = header.frames
            // A frame's header, alone or with its tiles.
            case 3, 6:
                frames += 1
                if let size = sequence?.ownSize(of: unit.content, &reader) { take(size) }
            default: break
            }
        }
    }

    /// Reads HEVC units, each preceded by its length. libheif reads lengths of 4 bytes, whatever `hvcC` says.
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
