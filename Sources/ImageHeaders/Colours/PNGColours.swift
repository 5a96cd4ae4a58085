// SPDX-License-Identifier: Apache-2.0
//
// The colours of a PNG (W3C PNG, third edition, §11.3.2), before PLTE and IDAT, in the order of precedence of §4.3:
//
//     cICP    code points of primaries, transfer and matrix (0), and full range, a byte each
//     iCCP    an ICC profile
//     sRGB
//     cHRM    x and y of white, red, green and blue, and
//     gAMA    the exponent with which samples were encoded; all numbers in 4 bytes and units of 0.00001
//
// mDCV contains the peak of the mastering display behind 16 bytes: 4 bytes, in units of 0.0001 cd/m².

/// The colours that a PNG describes without an ICC profile.
package struct PNGColours {
    private var points: CodePoints?
    private var isNarrow = false
    private var hasProfile = false
    private var isSRGB = false
    private var chromaticities: Chromaticities?
    private var gamma: Double?
    private var peak: Double?

    /// Nil if the file describes no colours, or describes them by an ICC profile.
    package static func read(_ source: some HeaderSource) -> ColourDescription? {
        var reader = HeaderReader(source)
        var colours = PNGColours()
        // Chunks before a damaged part count.
        try? colours.read(&reader)
        let bits = (try? reader.byte(at: 24)).map(Int.init) ?? 8
        // Palette indices of 1…8 bits stand for colours of 8 bits.
        return colours.description(depth: bits > 8 ? 16 : 8)
    }

    private mutating func read(_ reader: inout HeaderReader) throws(ImageHeaderError) {
        var offset = PNGHeader.behindIHDR
        while let chunk = try PNGHeader.ancillaryChunk(&reader, at: offset) {
            try take(chunk, &reader)
            offset = chunk.end
        }
    }

    private mutating func take(
        _ chunk: PNGHeader.Chunk, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) {
        let start = chunk.data.lowerBound
        switch (chunk.type, chunk.data.count) {
        case ("cICP", 4):
            guard try reader.byte(at: start + 2) == 0 else { return }
            points = CodePoints(
                primaries: Int(try reader.byte(at: start)), transfer: Int(try reader.byte(at: start + 1)))
            isNarrow = try reader.byte(at: start + 3) == 0
        case ("iCCP", _): hasProfile = true
        case ("sRGB", 1): isSRGB = true
        case ("cHRM", 32):
            var points: [Chromaticities.Point] = []
            for place in stride(from: start, to: start + 32, by: 8) {
                points.append(
                    .init(
                        try Self.hundredThousandths(place, &reader),
                        try Self.hundredThousandths(place + 4, &reader)))
            }
            chromaticities = Chromaticities(
                red: points[1], green: points[2], blue: points[3], white: points[0])
        case ("gAMA", 4):
            let told = try Self.hundredThousandths(start, &reader)
            if Self.gammas.contains(told) { gamma = told }
        case ("mDCV", 24): peak = ColourDescription.peak(try reader.big32(at: start + 16))
        default: break
        }
    }

    /// Other values are mistakes.
    private static let gammas = 0.05...20.0

    private static func hundredThousandths(
        _ offset: Int, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> Double {
        Double(try reader.big32(at: offset)) / 100_000
    }

    private func description(depth: Int) -> ColourDescription? {
        if let described = points?.description(peak: peak, depth: depth, isLimited: isNarrow) {
            return described
        }
        guard !hasProfile, !isSRGB else { return nil }
        // An exponent of 1 / 2.2 is sRGB's, as far as a gamma can express it (§11.3.2.5). libpng also accepts 5 % of
        // difference, and so do browsers.
        let rest = gamma.map { 1 / (2.2 * $0) } ?? 1
        let isUsual = (rest - 1).magnitude < 0.05
        guard let chromaticities else {
            // Chrome and Firefox convert a picture with only a gamma to a gamma of 2.2, and show the result
            // as sRGB.
            return isUsual
                ? nil : ColourDescription(primaries: .sRGB, transfer: .poweredSRGB(rest), depth: depth)
        }
        if chromaticities.areSRGB, isUsual { return nil }
        // Chromaticities and a gamma together are equivalent to a matrix profile with a power curve.
        let transfer = gamma.map { ColourDescription.Transfer.power(1 / $0) } ?? .sRGB
        return ColourDescription(primaries: chromaticities, transfer: transfer, depth: depth)
    }
}
