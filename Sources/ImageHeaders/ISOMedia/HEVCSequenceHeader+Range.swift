// SPDX-License-Identifier: Apache-2.0
// The flag for the range of samples is near the end of a sequence parameter set, in its usability information (ITU-T H.265 §7.3.2.2,
// §E.2.1), so everything before it has to be parsed.

extension HEVCSequenceHeader {
    /// True if a parameter set declares full range: black is 0 and white 255.
    static func isFullRange(
        _ reader: inout HeaderReader, in coding: ISOMediaHeader.Box
    ) throws(ImageHeaderError) -> Bool {
        var isFull = false
        try walk(&reader, in: coding) { (reader, unit) in
            guard !isFull, isParameterSet(unit, &reader) else { return }
            isFull = (try? isFullRange(&reader, of: unit)) ?? false
        }
        return isFull
    }

    private static func isFullRange(
        _ reader: inout HeaderReader, of unit: Range<Int>
    ) throws(ImageHeaderError) -> Bool {
        var bits = HeaderBits(unit.dropFirst(2), isEscaped: true)
        let layers = try begin(&reader, &bits).layers
        // The conformance window; the bit depths.
        if try bits.flag(&reader) { try skipCodes(4, &reader, &bits) }
        try skipCodes(2, &reader, &bits)
        let orderBits = try bits.golomb(&reader) + 4
        // Buffer sizes of each layer or of one; block sizes.
        let tellsLayers = try bits.flag(&reader)
        try skipCodes(3 * (tellsLayers ? layers + 1 : 1) + 6, &reader, &bits)
        if try bits.flag(&reader), try bits.flag(&reader) { try skipScaling(&reader, &bits) }
        try bits.skip(2, &reader)
        if try bits.flag(&reader) {
            // PCM samples.
            try bits.skip(8, &reader)
            try skipCodes(2, &reader, &bits)
            try bits.skip(1, &reader)
        }
        guard try skipReferences(&reader, &bits) else { return false }
        if try bits.flag(&reader) {
            for _ in 0..<(try bits.golomb(&reader)) { try bits.skip(orderBits + 1, &reader) }
        }
        try bits.skip(2, &reader)
        guard try bits.flag(&reader) else { return false }
        // The pixel aspect ratio, and the overscan flags.
        if try bits.flag(&reader), try bits.take(8, &reader) == 255 { try bits.skip(32, &reader) }
        if try bits.flag(&reader) { try bits.skip(1, &reader) }
        guard try bits.flag(&reader) else { return false }
        try bits.skip(3, &reader)
        return try bits.flag(&reader)
    }

    private static func skipCodes(
        _ count: Int, _ reader: inout HeaderReader, _ bits: inout HeaderBits
    ) throws(ImageHeaderError) {
        for _ in 0..<count { _ = try bits.golomb(&reader) }
    }

    /// Scaling lists (§7.3.4).
    private static func skipScaling(
        _ reader: inout HeaderReader, _ bits: inout HeaderBits
    ) throws(ImageHeaderError) {
        for (count, lists, begins) in [(16, 6, 0), (64, 6, 0), (64, 6, 1), (64, 2, 1)] {
            for _ in 0..<lists {
                let isWritten = try bits.flag(&reader)
                try skipCodes(isWritten ? begins + count : 1, &reader, &bits)
            }
        }
    }

    /// Skips the sets of reference pictures (§7.3.7), which a still picture seldom has. False for a set that is predicted from
    /// another, because that form is not parsed.
    private static func skipReferences(
        _ reader: inout HeaderReader, _ bits: inout HeaderBits
    ) throws(ImageHeaderError) -> Bool {
        for index in 0..<(try bits.golomb(&reader)) {
            if index > 0, try bits.flag(&reader) { return false }
            let before = try bits.golomb(&reader)
            for _ in 0..<(before + (try bits.golomb(&reader))) {
                try skipCodes(1, &reader, &bits)
                try bits.skip(1, &reader)
            }
        }
        return true
    }
}
