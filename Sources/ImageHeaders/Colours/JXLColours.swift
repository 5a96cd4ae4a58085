// SPDX-License-Identifier: Apache-2.0
//
// The colours of a JPEG XL (ISO/IEC 18181-1 §E.2), behind the extra channels (JXLChannel). Each kind is coded as a channel's type:
//
//     1 XYB · 1 all default: sRGB; if not
//         1 has an ICC profile
//         colour space    0 RGB, 1 grey; and without a profile
//         white           1 D65, 2 a point, 10 E, 11 that of DCI
//         primaries       1 sRGB, 2 three points, 9 BT.2100, 11 P3; for RGB only
//         1 has a gamma   24 bits; or else the transfer, numbered as in ITU-T H.273
//
// A point is two numbers in millionths, each with its sign in the lowest bit.

/// The colours of a JPEG XL that libjxl's profile of them would spoil.
package enum JXLColours {
    private static let (rgb, grey) = (0, 1)
    private static let custom = 2
    /// D65.
    private static let daylight = 1
    /// Linear light, PQ and HLG in H.273.
    private static let described = [8, 16, 18]

    /// Nil for all but linear light, PQ and HLG. Other colours need no description, because libjxl makes a profile that says the
    /// same. In its profile of PQ, 10,000 cd/m² are white, so that everything else is dark. Profiles are applied to 8 bits, which
    /// have too few levels for light.
    ///
    /// libjxl converts XYB to the colours that the file describes. Where it cannot, which is so with an ICC profile and with grey
    /// of another white than D65, it returns linear light of sRGB and a profile of that.
    package static func read(_ source: some HeaderSource) -> ColourDescription? {
        source.reading(read) ?? nil
    }

    private static func read(
        _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> ColourDescription? {
        guard let metadata = try JXLHeader.readMetadata(&reader) else { return nil }
        var bits = metadata.bits
        for _ in 0..<metadata.channels.extra { _ = try JXLChannel(&bits) }
        let isXYB = try bits.next(1) == 1
        let isDefault = try bits.next(1) == 1
        guard !isDefault else { return nil }
        // libvips asks libjxl for samples of 8 or of 16 bits; floating-point numbers become 16 bits.
        let depth = metadata.channels.depth > 8 ? 16 : 8
        let hasProfile = try bits.next(1) == 1
        guard !hasProfile else { return isXYB ? light(depth: depth) : nil }
        return try describe(&bits, isXYB: isXYB, depth: depth)
    }

    /// Linear light of sRGB.
    private static func light(depth: Int) -> ColourDescription {
        ColourDescription(primaries: .sRGB, transfer: .power(1), depth: depth)
    }

    private static func describe(
        _ bits: inout JXLBits, isXYB: Bool, depth: Int
    ) throws(ImageHeaderError) -> ColourDescription? {
        let space = try kind(&bits)
        guard space == rgb || space == grey else { return nil }
        let kindOfWhite = try kind(&bits)
        guard let white = try white(kindOfWhite, &bits) else { return nil }
        if isXYB, space == grey, kindOfWhite != daylight { return light(depth: depth) }
        var points: [Chromaticities.Point] = []
        var primaries = 1
        if space == rgb {
            primaries = try kind(&bits)
            if primaries == custom {
                for _ in 0..<3 { points.append(try point(&bits)) }
            }
        }
        let hasGamma = try bits.next(1) == 1
        guard !hasGamma else { return nil }
        let transfer = try kind(&bits)
        guard described.contains(transfer) else { return nil }
        var colours = CodePoints(primaries: primaries, transfer: transfer)
            .description(peak: nil, depth: depth, isLimited: false)
        colours?.primaries.white = white
        if points.count == 3 {
            colours?.primaries = Chromaticities(
                red: points[0], green: points[1], blue: points[2], white: white)
        }
        return colours
    }

    private static func kind(_ bits: inout JXLBits) throws(ImageHeaderError) -> Int {
        try bits.number(JXLHeader.channelTypes)
    }

    private static func white(
        _ kind: Int, _ bits: inout JXLBits
    ) throws(ImageHeaderError) -> Chromaticities.Point? {
        switch kind {
        case daylight: return Chromaticities.daylight
        case custom: return try point(&bits)
        case 10: return Chromaticities.Point(1 / 3, 1 / 3)
        case 11: return Chromaticities.Point(0.314, 0.351)
        default: return nil
        }
    }

    private static func point(_ bits: inout JXLBits) throws(ImageHeaderError) -> Chromaticities.Point {
        let x = try coordinate(&bits)
        return Chromaticities.Point(x, try coordinate(&bits))
    }

    private static func coordinate(_ bits: inout JXLBits) throws(ImageHeaderError) -> Double {
        let packed = try bits.number([(19, 0), (19, 524_288), (20, 1_048_576), (21, 2_097_152)])
        let size = Double((packed + 1) / 2) / 1_000_000
        return packed % 2 == 0 ? size : -size
    }
}
