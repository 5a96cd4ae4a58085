// SPDX-License-Identifier: Apache-2.0
//
// hvcC (ISO/IEC 14496-15 §8.3.3.1): 22 bytes, the number of arrays, then for each the type of its units (1 byte), their number
// (2 bytes), and for each its length (2 bytes) and the unit. Sequence parameter sets are of type 33 (ITU-T H.265 §7.3.2.2), by
// six bits of the unit's own first byte: no decoder is told the array's type. They may be among the item's bytes as well.

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
            let count = try reader.big16(at: offset + 1)
            offset += 3
            for _ in 0..<count {
                guard offset + 2 <= end else { return largest }
                let length = min(try reader.big16(at: offset), end - offset - 2)
                offset += 2
                note(offset..<(offset + length), &largest, &reader)
                offset += length
            }
        }
        return largest
    }

    /// As `size(_:in:)`, of units each behind its length. That has 4 bytes, as libheif reads it whatever `hvcC` says.
    static func size(_ reader: inout HeaderReader, among bytes: Range<Int>) -> PixelSize? {
        var offset = bytes.lowerBound
        var largest: PixelSize?
        while bytes.upperBound - offset > 4, let told = try? reader.big32(at: offset) {
            let length = min(told, bytes.upperBound - offset - 4)
            offset += 4
            note(offset..<(offset + length), &largest, &reader)
            offset += length
        }
        return largest
    }

    /// A decoder passes over a parameter set that is damaged, and goes by another.
    private static func note(
        _ unit: Range<Int>, _ largest: inout PixelSize?, _ reader: inout HeaderReader
    ) {
        guard unit.count > 2, let head = try? reader.byte(at: unit.lowerBound), head >> 1 & 0x3F == 33,
            let size = try? sizeTold(&reader, by: unit.dropFirst(2)), size.area > largest?.area ?? 0
        else { return }
        largest = size
    }

    /// - Parameter unit: without the two bytes of its head.
    private static func sizeTold(
        _ reader: inout HeaderReader, by unit: Range<Int>
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
