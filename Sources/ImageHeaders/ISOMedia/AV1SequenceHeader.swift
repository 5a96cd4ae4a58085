// SPDX-License-Identifier: Apache-2.0
//
// AV1 §5.3 (OBU header: type, and usually a size in groups of 7 bits), §5.5 (sequence header).

/// The size and the colours in a sequence header.
struct AV1SequenceHeader {
    /// The largest size of a frame.
    private(set) var size = PixelSize(width: 0, height: 0)
    /// True if there is only one plane.
    private(set) var isGrey = false
    /// Nil if the colours are not described.
    private(set) var codePoints: CodePoints?
    /// False if black is 16 and white 235, or their multiples.
    private(set) var isFullRange = true
    /// The form of its frames' headers.
    private(set) var frames = AV1FrameHead()

    /// The most OBUs that are read to find the sequence header, which is the first one or follows a temporal
    /// delimiter.
    private static let mostUnits = 8

    /// Nil if there is no sequence header.
    init?(_ reader: inout HeaderReader, in bytes: Range<Int>) throws(ImageHeaderError) {
        var units = AV1Units(bytes)
        for _ in 0..<Self.mostUnits {
            guard let unit = try units.next(&reader) else { return nil }
            if unit.type == 1 {
                try self.init(&reader, of: unit.content)
                return
            }
        }
        return nil
    }

    /// - Parameter unit: the OBU without its header.
    init(_ reader: inout HeaderReader, of unit: Range<Int>) throws(ImageHeaderError) {
        var bits = HeaderBits(unit)
        try read(&reader, &bits)
    }

    /// The undamaged part of a sequence header. The size precedes all else, and is 0 × 0 if it is damaged
    /// itself.
    static func begun(_ reader: inout HeaderReader, of unit: Range<Int>) -> AV1SequenceHeader {
        var (header, bits) = (AV1SequenceHeader(), HeaderBits(unit))
        try? header.read(&reader, &bits)
        return header
    }

    private init() {}

    /// The picture's sequence header: in its `av1C` if that contains one, else at the start of the item's
    /// bytes.
    static func find(
        _ reader: inout HeaderReader, in coding: ISOMediaHeader.Box, of item: Int, _ items: ISOMediaItems
    ) throws(ImageHeaderError) -> AV1SequenceHeader? {
        if let header = try AV1SequenceHeader(&reader, in: AV1Units.inside(coding)) { return header }
        guard let bytes = try items.bytes(of: item, &reader) else { return nil }
        return try AV1SequenceHeader(&reader, in: bytes)
    }

    private mutating func read(
        _ reader: inout HeaderReader, _ bits: inout HeaderBits
    ) throws(ImageHeaderError) {
        let profile = try bits.take(3, &reader)
        try bits.skip(1, &reader)
        let isReduced = try bits.flag(&reader)
        if isReduced {
            try bits.skip(5, &reader)
        } else {
            try readOperatingPoints(&reader, &bits)
        }
        let sides = (width: try bits.take(4, &reader) + 1, height: try bits.take(4, &reader) + 1)
        (frames.sides, frames.isReduced) = (sides, isReduced)
        size = PixelSize(
            width: try bits.take(sides.width, &reader) + 1, height: try bits.take(sides.height, &reader) + 1)
        if !isReduced, try bits.flag(&reader) {
            frames.numberBits = try bits.take(4, &reader) + 3
            frames.numberBits += try bits.take(3, &reader)
        }
        try bits.skip(3, &reader)
        if !isReduced { try readTools(&reader, &bits) }
        frames.isKnown = true
        try bits.skip(3, &reader)
        try readColours(&reader, &bits, profile)
    }

    /// §5.5.2: depth, monochrome, and primaries, transfer and matrix if they are given.
    private mutating func readColours(
        _ reader: inout HeaderReader, _ bits: inout HeaderBits, _ profile: Int
    ) throws(ImageHeaderError) {
        let isDeep = try bits.flag(&reader)
        if profile == 2, isDeep { try bits.skip(1, &reader) }
        if profile != 1 { isGrey = try bits.flag(&reader) }
        var matrix = 2
        if try bits.flag(&reader) {
            let points = (try bits.take(8, &reader), try bits.take(8, &reader))
            codePoints = CodePoints(primaries: points.0, transfer: points.1)
            matrix = try bits.take(8, &reader)
        }
        // sRGB without a matrix always has full range, without a flag.
        if !isGrey, matrix == 0, codePoints == CodePoints(primaries: 1, transfer: 13) { return }
        isFullRange = try bits.flag(&reader)
    }

    /// Skips §5.5.3…5.5.5, timing included.
    private mutating func readOperatingPoints(
        _ reader: inout HeaderReader, _ bits: inout HeaderBits
    ) throws(ImageHeaderError) {
        var delayBits: Int?
        if try bits.flag(&reader) {
            try bits.skip(64, &reader)
            let isEven = try bits.flag(&reader)
            if isEven { _ = try bits.golomb(&reader) }
            if try bits.flag(&reader) {
                delayBits = try bits.take(5, &reader) + 1
                try bits.skip(32 + 5, &reader)
                let timeBits = try bits.take(5, &reader) + 1
                // Frames at equal distances need no times.
                if !isEven { frames.timeBits = timeBits }
            }
        }
        let tellsDelay = try bits.flag(&reader)
        for _ in 0...(try bits.take(5, &reader)) {
            try bits.skip(12, &reader)
            if try bits.take(5, &reader) > 7 { try bits.skip(1, &reader) }
            if let delayBits, try bits.flag(&reader) { try bits.skip(2 * delayBits + 1, &reader) }
            if tellsDelay, try bits.flag(&reader) { try bits.skip(4, &reader) }
        }
    }

    private mutating func readTools(
        _ reader: inout HeaderReader, _ bits: inout HeaderBits
    ) throws(ImageHeaderError) {
        try bits.skip(4, &reader)
        let ordersFrames = try bits.flag(&reader)
        if ordersFrames { try bits.skip(2, &reader) }
        // Screen content tools: chosen by each frame, always on, or always off; then the same for integer vectors.
        frames.screenTools = try Self.choice(&reader, &bits)
        if frames.screenTools != .never { frames.wholeVectors = try Self.choice(&reader, &bits) }
        if ordersFrames { try bits.skip(3, &reader) }
    }

    private static func choice(
        _ reader: inout HeaderReader, _ bits: inout HeaderBits
    ) throws(ImageHeaderError) -> AV1FrameHead.Choice {
        if try bits.flag(&reader) { return .byFrame }
        return try bits.flag(&reader) ? .always : .never
    }
}
