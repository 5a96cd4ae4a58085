// SPDX-License-Identifier: Apache-2.0
//
// JPEG XL (ISO/IEC 18181-1 §9.2, 18181-2 §9): a codestream, bare or in boxes. Fields of bits, the lowest bit of a byte
// first, follow the two bytes FF 0A:
//
//     SizeHeader  1 div8   height: 5 bits, (n + 1) × 8; or else 2 bits that select 9, 13, 18 or 30 bits, n + 1
//                 3 ratio  0: the width follows, likewise; 1…7: the width is the height times a fraction
//     metadata    1 all default; if not: 1 extra fields
//         extra fields    3 orientation − 1 · 1 intrinsic SizeHeader · 1 PreviewHeader · 1 AnimationHeader
//         BitDepth        1 floating point · 2 that choose the bits of a sample · with floats, 4 for the exponent
//         1 narrow buffers · 2 that choose the number of extra channels: 0, 1, 2 + 4 bits, 1 + 12 bits
//         extra channels  see JXLChannel
//         colours         see JXLDetails

enum JXLHeader {
    /// Bytes of the codestream that are read: more than the longest of these headers, 73 bits.
    private static let bytes = 64
    /// Bytes of the codestream that are read for its metadata: enough for a few channels with long names.
    private static let metadata = 4_096
    /// The most boxes up to the codestream's first bytes; real files have a handful.
    private static let mostBoxes = 64
    private static let sideBits = [9, 13, 18, 30]
    /// The coding of an extra channel's type (§D.3.6).
    static let channelTypes: [(width: Int, offset: Int)] = [(0, 0), (0, 1), (4, 2), (6, 18)]
    private static let black = 4
    private static let ratios = [(1, 1), (1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]

    static func parse(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ImageHeader {
        var bits = try fields(&reader, bytes: bytes)
        let size = try readSize(&bits)
        // Decoders turn the picture upright, so the sides are exchanged accordingly.
        var lies = false
        var channels = Channels()
        var hasBlack = false
        if try bits.next(1) == 0 {
            let hasFields = try bits.next(1) == 1
            if hasFields { lies = try bits.next(3) >= 4 }
            // If the file ends before the channels are known, the worst case is assumed, which keeps
            // transparency and a sufficient price.
            channels = (try? readChannels(&bits, behindFields: hasFields)) ?? Channels(depth: 16, extra: 1)
            if channels.extra == 1 { hasBlack = (try? readsBlack(&bits)) ?? false }
        }
        // libvips asks libjxl for all channels at once. libjxl returns at most four, and alpha as the only extra
        // one.
        let isDecodable = channels.extra < 2 && !hasBlack
        // Nearly all extra channels are alpha. The few that hold depth or a spot colour are treated as alpha, which costs bytes
        // but loses no transparency.
        return ImageHeader(
            format: .jxl, width: lies ? size.height : size.width, height: lies ? size.width : size.height,
            hasAlpha: channels.extra > 0, isDecodable: isDecodable, isDeep: channels.depth > 8)
    }

    /// True if the next extra channel is the black of four inks.
    private static func readsBlack(_ bits: inout JXLBits) throws(ImageHeaderError) -> Bool {
        guard try bits.next(1) == 0 else { return false }
        return try bits.number(channelTypes) == black
    }

    /// At most `count` bytes of the codestream behind its first two.
    static func fields(_ reader: inout HeaderReader, bytes count: Int) throws(ImageHeaderError) -> JXLBits {
        var bytes: [UInt8] = []
        for part in try codestream(&reader, bytes: count + 2) {
            bytes += try reader.bytes(at: part.lowerBound, count: part.count)
        }
        guard bytes.count > 2, bytes.starts(with: [0xFF, 0x0A]) else { throw .damaged }
        return JXLBits(Array(bytes.dropFirst(2)))
    }

    static func readSize(_ bits: inout JXLBits) throws(ImageHeaderError) -> PixelSize {
        let isCoarse = try bits.next(1) == 1
        let height = try side(&bits, isCoarse: isCoarse)
        let ratio = try bits.next(3)
        // Cannot trap: three bits are below eight.
        let (over, under) = ratios[ratio]
        // Cannot trap: a height has at most 30 bits, and no ratio divides by 0.
        let width = ratio == 0 ? try side(&bits, isCoarse: isCoarse) : height * over / under
        return PixelSize(width: width, height: height)
    }

    struct Channels {
        /// Bits of a colour sample.
        var depth = 8
        /// True if samples are floating-point numbers.
        var isFloat = false
        /// The number of extra channels.
        var extra = 0
    }

    /// What the metadata say of the channels, and the bits behind their number, which describe the extra ones. Nil if all
    /// metadata are the default: sRGB of 8 bits.
    static func readMetadata(
        _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> (channels: Channels, bits: JXLBits)? {
        var bits = try fields(&reader, bytes: metadata)
        _ = try readSize(&bits)
        guard try bits.next(1) == 0 else { return nil }
        let hasFields = try bits.next(1) == 1
        // The orientation.
        if hasFields { try bits.skip(3) }
        let channels = try readChannels(&bits, behindFields: hasFields)
        return (channels, bits)
    }

    /// - Parameter behindFields: true if the extra fields follow, of which the orientation was read.
    private static func readChannels(
        _ bits: inout JXLBits, behindFields: Bool
    ) throws(ImageHeaderError) -> Channels {
        if behindFields {
            if try bits.next(1) == 1 { try skipSize(&bits, coarse: nil, fine: sideBits) }
            if try bits.next(1) == 1 { try skipSize(&bits, coarse: [0, 0, 5, 9], fine: [6, 8, 10, 12]) }
            if try bits.next(1) == 1 {
                // Ticks a second, as a fraction; the number of loops; a flag for time codes.
                for widths in [[0, 0, 10, 30], [0, 0, 8, 10], [0, 3, 16, 32]] { try bits.skip(widths) }
                try bits.skip(1)
            }
        }
        let (depth, isFloat) = try readDepth(&bits)
        try bits.skip(1)
        let extra = try bits.number([(0, 0), (0, 1), (4, 2), (12, 1)])
        return Channels(depth: depth, isFloat: isFloat, extra: extra)
    }

    /// Reads a BitDepth: the bits of a sample, and whether it is a floating-point number.
    static func readDepth(_ bits: inout JXLBits) throws(ImageHeaderError) -> (bits: Int, isFloat: Bool) {
        let isFloat = try bits.next(1) == 1
        let depth = try bits.number(
            isFloat ? [(0, 32), (0, 16), (0, 24), (6, 1)] : [(0, 8), (0, 10), (0, 12), (6, 1)])
        if isFloat { try bits.skip(4) }
        // libvips converts every float type to 32-bit floats.
        return (isFloat ? max(depth, 16) : depth, isFloat)
    }

    /// Skips the preview's size, or the intrinsic size, whose coarse sides have 5 bits (`coarse` is nil).
    private static func skipSize(_ bits: inout JXLBits, coarse: [Int]?, fine: [Int]) throws(ImageHeaderError)
    {
        let isCoarse = try bits.next(1) == 1
        for side in 0...1 {
            // A ratio replaces the width.
            if side == 1, try bits.next(3) > 0 { return }
            if !isCoarse {
                try bits.skip(fine)
            } else if let coarse {
                try bits.skip(coarse)
            } else {
                try bits.skip(5)
            }
        }
    }

    private static func side(_ bits: inout JXLBits, isCoarse: Bool) throws(ImageHeaderError) -> Int {
        if isCoarse { return (try bits.next(5) + 1) * 8 }
        return try bits.next(sideBits[try bits.next(2)]) + 1
    }

    /// The ranges of the first `count` bytes of the codestream, which boxes may split anywhere.
    /// - Throws: if they are spread over more boxes than are read. libjxl would read on, and meet bytes that were not
    ///   checked.
    private static func codestream(
        _ reader: inout HeaderReader, bytes count: Int
    ) throws(ImageHeaderError) -> [Range<Int>] {
        guard try reader.big16(at: 0) != 0xFF0A else { return [0..<min(count, reader.length)] }
        var (parts, missing, offset): ([Range<Int>], Int, Int) = ([], count, 0)
        for _ in 0..<mostBoxes {
            let box = try? ISOMediaHeader.box(at: offset, within: 0..<reader.length, isCut: true, &reader)
            guard let next = box else { return parts }
            offset = next.content.upperBound
            let isWhole = next.type == "jxlc"
            guard isWhole || next.type == "jxlp" else { continue }
            // A sequence number precedes each part.
            let part = next.content.dropFirst(isWhole ? 0 : 4).prefix(missing)
            parts.append(part)
            missing -= part.count
            if isWhole || missing == 0 { return parts }
        }
        throw .damaged
    }
}
