// SPDX-License-Identifier: Apache-2.0

/// The size that AV1 codes.
enum AV1FrameSize {
    /// The size in the largest sequence header, which no frame's size exceeds (AV1 §5.9.5); nil without one. A decoder shows what it
    /// has come to before a damaged OBU, and passes over any number of those that mean nothing.
    static func find(_ reader: inout HeaderReader, in bytes: Range<Int>) -> PixelSize? {
        var units = AV1Units(bytes)
        var largest: PixelSize?
        while let unit = try? units.next(&reader) {
            guard unit.type == 1 else { continue }
            let size = AV1SequenceHeader.size(&reader, of: unit.content)
            if size.area > largest?.area ?? 0 { largest = size }
        }
        return largest
    }
}
