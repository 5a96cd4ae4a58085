// SPDX-License-Identifier: Apache-2.0
// hvcC (ISO/IEC 14496-15 §8.3.3.1): 22 bytes, the number of arrays, then for each array the type of its units (1 byte), their
// number (2 bytes), and for each unit its length (2 bytes) and its bytes. Sequence parameter sets have type 33 (ITU-T H.265
// §7.3.2.2) in six bits of the unit's own first byte, because decoders ignore the array's type. Parameter sets may be among
// the item's bytes as well.

/// The coded size of HEVC.
enum HEVCSequenceHeader {
    /// The size in the largest sequence parameter set, before the conformance window is cut out; nil without
    /// one.
    static func size(
        _ reader: inout HeaderReader, in coding: ISOMediaHeader.Box
    ) throws(ImageHeaderError) -> PixelSize? {
        var largest: PixelSize?
        try walk(&reader, in: coding) { (reader, unit) in
            let size = size(&reader, of: unit)
            if let size, size.area > largest?.area ?? 0 { largest = size }
        }
        return largest
    }

    /// Visits every unit, whatever its type.
    static func walk(
        _ reader: inout HeaderReader, in coding: ISOMediaHeader.Box,
        _ visit: (inout HeaderReader, _ unit: Range<Int>) -> Void
    ) throws(ImageHeaderError) {
        let end = coding.content.upperBound
        var offset = coding.content.lowerBound + 23
        for _ in 0..<(try reader.byte(at: offset - 1)) {
            guard offset + 3 <= end else { return }
            let count = try reader.big16(at: offset + 1)
            offset += 3
            for _ in 0..<count {
                guard offset + 2 <= end else { return }
                let length = min(try reader.big16(at: offset), end - offset - 2)
                offset += 2
                visit(&reader, offset..<(offset + length))
                offset += length
            }
        }
    }

    /// The size in a sequence parameter set; nil for other units, and for a damaged one, which a decoder skips.
    static func size(_ reader: inout HeaderReader, of unit: Range<Int>) -> PixelSize? {
        guard isParameterSet(unit, &reader) else { return nil }
        var bits = HeaderBits(unit.dropFirst(2), isEscaped: true)
        return try? begin(&reader, &bits).size
    }

    static func isParameterSet(_ unit: Range<Int>, _ reader: inout HeaderReader) -> Bool {
        unit.count > 2 && kind(of: unit, &reader) == 33
    }

    /// True for the first slice of a picture, which the first bit behind the unit's header marks (§7.3.6.1).
    static func beginsPicture(_ reader: inout HeaderReader, _ unit: Range<Int>) -> Bool {
        guard unit.count > 2, let kind = kind(of: unit, &reader), kind < 32,
            let first = try? reader.byte(at: unit.lowerBound + 2)
        else { return false }
        return first & 0x80 != 0
    }

    private static func kind(of unit: Range<Int>, _ reader: inout HeaderReader) -> UInt8? {
        (try? reader.byte(at: unit.lowerBound)).map { $0 >> 1 & 0x3F }
    }

    /// Reads a parameter set up to its size.
    /// - Parameter bits: the bits behind the unit's header of two bytes.
    /// - Returns: also the number of temporal layers, less 1.
    static func begin(
        _ reader: inout HeaderReader, _ bits: inout HeaderBits
    ) throws(ImageHeaderError) -> (layers: Int, size: PixelSize) {
        try bits.skip(4, &reader)
        let layers = try bits.take(3, &reader)
        // The nesting flag, and the general profile and level (§7.3.3).
        try bits.skip(1 + 96, &reader)
        var told: [(profile: Bool, level: Bool)] = []
        for _ in 0..<layers { told.append((try bits.flag(&reader), try bits.flag(&reader))) }
        if layers > 0 { try bits.skip(2 * (8 - layers), &reader) }
        for layer in told { try bits.skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0), &reader) }
        _ = try bits.golomb(&reader)
        // Chroma of 4:4:4 may be coded as separate planes.
        if try bits.golomb(&reader) == 3 { try bits.skip(1, &reader) }
        return (layers, PixelSize(width: try bits.golomb(&reader), height: try bits.golomb(&reader)))
    }
}
