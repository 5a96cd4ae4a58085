// SPDX-License-Identifier: Apache-2.0

/// The size that AV1 codes.
enum AV1FrameSize {
    /// OBUs that are looked at. A picture has some few: a delimiter, the sequence header, metadata, the frame and its tiles.
    private static let mostUnits = 256

    /// The size in the largest sequence header, which no frame's size exceeds (AV1 §5.9.5); nil without one.
    static func find(
        _ reader: inout HeaderReader, in bytes: Range<Int>
    ) throws(ImageHeaderError) -> PixelSize? {
        var units = AV1Units(bytes)
        var largest: PixelSize?
        for _ in 0..<mostUnits {
            guard let unit = try units.next(&reader) else { break }
            guard unit.type == 1 else { continue }
            let size = try AV1SequenceHeader(&reader, of: unit.content).size
            if size.area > largest?.area ?? 0 { largest = size }
        }
        return largest
    }
}
