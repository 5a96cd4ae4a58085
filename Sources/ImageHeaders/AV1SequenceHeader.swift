// SPDX-License-Identifier: Apache-2.0
//
// AV1 §5.3 (OBU header: type, and mostly a size in groups of 7 bits), §5.5 (sequence header).

/// What a sequence header says of colour.
struct AV1SequenceHeader {
    /// One plane.
    var isGrey = false
    /// Nil if colours are not described.
    var codePoints: CodePoints?
    /// False if black is 16 and white 235, or their multiples.
    var isFullRange = true

    /// OBUs that are looked at; the sequence header is the first one, or comes behind a temporal delimiter.
    private static let mostUnits = 8

    /// Nil if there is none, or one that tells of timing, as pictures do not.
    init?(_ reader: inout HeaderReader, in bytes: Range<Int>) throws(ImageHeaderError) {
        var offset = bytes.lowerBound
        for _ in 0..<Self.mostUnits where offset < bytes.upperBound {
            let head = try reader.byte(at: offset)
            offset += head & 4 == 0 ? 1 : 2
            var size = bytes.upperBound - min(offset, bytes.upperBound)
            if head & 2 != 0 { size = try Self.size(&reader, at: &offset) }
            if head >> 3 & 15 == 1 {
                var bits = Bits(next: offset, end: bytes.upperBound)
                guard try read(&reader, &bits) else { return nil }
                return
            }
            guard size < bytes.upperBound - min(offset, bytes.upperBound) else { return nil }
            offset += size
        }
        return nil
    }

    /// That of the picture: behind its `av1C` where that has one, else at the start of its bytes.
    static func find(
        _ reader: inout HeaderReader, in coding: ISOMediaHeader.Box, of item: Int, _ items: ISOMediaItems
    ) throws(ImageHeaderError) -> AV1SequenceHeader? {
        let start = coding.content.lowerBound + 4
        if let header = try AV1SequenceHeader(&reader, in: start..<max(start, coding.content.upperBound)) {
            return header
        }
        guard let bytes = try items.bytes(of: item, &reader) else { return nil }
        return try AV1SequenceHeader(&reader, in: bytes)
    }

    /// §4.10.5.
    private static func size(
        _ reader: inout HeaderReader, at offset: inout Int
    ) throws(ImageHeaderError) -> Int {
        var size = 0
        for index in 0..<4 {
            let byte = try reader.byte(at: offset)
            offset += 1
            size |= Int(byte & 0x7F) << (7 * index)
            if byte & 0x80 == 0 { return size }
        }
        throw .damaged
    }

    /// - Returns: false if there is timing, which is not read.
    private mutating func read(
        _ reader: inout HeaderReader, _ bits: inout Bits
    ) throws(ImageHeaderError) -> Bool {
        let profile = try bits.take(3, &reader)
        _ = try bits.take(1, &reader)
        let isStill = try bits.flag(&reader)
        if isStill {
            _ = try bits.take(5, &reader)
        } else {
            guard try Self.skipOperatingPoints(&reader, &bits) else { return false }
        }
        let (across, down) = (try bits.take(4, &reader) + 1, try bits.take(4, &reader) + 1)
        _ = (try bits.take(across, &reader), try bits.take(down, &reader))
        if !isStill, try bits.flag(&reader) { _ = try bits.take(7, &reader) }
        _ = try bits.take(3, &reader)
        if !isStill { try Self.skipTools(&reader, &bits) }
        _ = try bits.take(3, &reader)
        // §5.5.2: depth, monochrome, and primaries, transfer and matrix where they are told.
        let isDeep = try bits.flag(&reader)
        if profile == 2, isDeep { _ = try bits.take(1, &reader) }
        if profile != 1 { isGrey = try bits.flag(&reader) }
        var matrix = 2
        if try bits.flag(&reader) {
            let points = (try bits.take(8, &reader), try bits.take(8, &reader))
            codePoints = CodePoints(primaries: points.0, transfer: points.1)
            matrix = try bits.take(8, &reader)
        }
        // sRGB without a matrix has full range, and does not say so.
        if !isGrey, matrix == 0, codePoints == CodePoints(primaries: 1, transfer: 13) { return true }
        isFullRange = try bits.flag(&reader)
        return true
    }

    /// - Returns: false if there is timing, which is not read.
    private static func skipOperatingPoints(
        _ reader: inout HeaderReader, _ bits: inout Bits
    ) throws(ImageHeaderError) -> Bool {
        if try bits.flag(&reader) { return false }
        let tellsDelay = try bits.flag(&reader)
        for _ in 0...(try bits.take(5, &reader)) {
            _ = try bits.take(12, &reader)
            if try bits.take(5, &reader) > 7 { _ = try bits.take(1, &reader) }
            if tellsDelay, try bits.flag(&reader) { _ = try bits.take(4, &reader) }
        }
        return true
    }

    private static func skipTools(
        _ reader: inout HeaderReader, _ bits: inout Bits
    ) throws(ImageHeaderError) {
        _ = try bits.take(4, &reader)
        let ordersFrames = try bits.flag(&reader)
        if ordersFrames { _ = try bits.take(2, &reader) }
        // Tools for screen contents: by each frame's choice, or always, or never; then the same for whole vectors.
        var mayBeScreen = try bits.flag(&reader)
        if !mayBeScreen { mayBeScreen = try bits.flag(&reader) }
        if mayBeScreen, try !bits.flag(&reader) { _ = try bits.take(1, &reader) }
        if ordersFrames { _ = try bits.take(3, &reader) }
    }

    /// Bits of the file, the highest of a byte first.
    private struct Bits {
        /// Offset of the byte that holds the next bit.
        var next: Int
        let end: Int
        var used = 0

        /// At most 24.
        mutating func take(_ count: Int, _ reader: inout HeaderReader) throws(ImageHeaderError) -> Int {
            var value = 0
            for _ in 0..<count {
                guard next < end else { throw .damaged }
                value = value << 1 | Int(try reader.byte(at: next) >> (7 - used)) & 1
                used += 1
                if used == 8 { (next, used) = (next + 1, 0) }
            }
            return value
        }

        mutating func flag(_ reader: inout HeaderReader) throws(ImageHeaderError) -> Bool {
            try take(1, &reader) == 1
        }
    }
}
