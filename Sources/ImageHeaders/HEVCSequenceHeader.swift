// SPDX-License-Identifier: Apache-2.0
//
// hvcC (ISO/IEC 14496-15 §8.3.3.1): 22 bytes, the number of arrays, then for each the type of its units (1 byte, the lowest
// six bits), their number (2 bytes), and for each its length (2 bytes) and the unit. Sequence parameter sets are of type 33
// (ITU-T H.265 §7.3.2.2).

/// The size that HEVC codes.
enum HEVCSequenceHeader {
    /// The size in the largest sequence parameter set, before its window is cut out; nil without one.
    static func size(
        _ reader: inout HeaderReader, in coding: ISOMediaHeader.Box
    ) throws(ImageHeaderError) -> PixelSize? {
        let end = coding.content.upperBound
        var offset = coding.content.lowerBound + 23
        var largest: PixelSize?
        for _ in 0..<(try reader.byte(at: offset - 1)) {
            guard offset + 3 <= end else { break }
            let type = try reader.byte(at: offset) & 0x3F
            let count = try reader.big16(at: offset + 1)
            offset += 3
            for _ in 0..<count {
                guard offset + 2 <= end else { return largest }
                let length = min(try reader.big16(at: offset), end - offset - 2)
                offset += 2
                if type == 33, length > 2 {
                    let size = try size(&reader, of: (offset + 2)..<(offset + length))
                    if size.area > largest?.area ?? 0 { largest = size }
                }
                offset += length
            }
        }
        return largest
    }

    /// - Parameter unit: without the two bytes of its head.
    private static func size(
        _ reader: inout HeaderReader, of unit: Range<Int>
    ) throws(ImageHeaderError) -> PixelSize {
        var bits = HeaderBits(unit, isEscaped: true)
        try bits.skip(4, &reader)
        let layers = try bits.take(3, &reader)
        // Nesting, and the profile and level of the whole (§7.3.3).
        try bits.skip(1 + 96, &reader)
        var told: [(profile: Bool, level: Bool)] = []
        for _ in 0..<layers { told.append((try bits.flag(&reader), try bits.flag(&reader))) }
        if layers > 0 { try bits.skip(2 * (8 - layers), &reader) }
        for layer in told { try bits.skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0), &reader) }
        _ = try bits.golomb(&reader)
        // Chroma of 4:4:4 may come as three planes.
        if try bits.golomb(&reader) == 3 { try bits.skip(1, &reader) }
        return PixelSize(width: try bits.golomb(&reader), height: try bits.golomb(&reader))
    }
}
