// SPDX-License-Identifier: Apache-2.0
//
// Reads an ICC profile (ICC.1:2022) before lcms does: its colour space, and whether it is one of the many
// spellings of sRGB, which need no conversion at all.
//
//     0    bytes of the file
//     12   class, 4 letters: display, camera, printer, space; the other classes describe conversions
//     16   data colour space, 4 letters
//     20   profile connection space, 4 letters: XYZ or Lab
//     128  number of tags, then each: 4 letters, offset, size (all big-endian)

internal import ImageHeaders

/// The facts of a colour profile that decide whether and how colours are converted.
package struct ICCProfile {
    enum Space { case grey, rgb, cmyk, other }

    let space: Space
    /// True if the primaries and the curves are those of sRGB, but for differences that 8 bits cannot show.
    let isSRGB: Bool
    /// True if the profile has colours outside sRGB.
    let isWide: Bool
    /// True if the profile has a table for the perceptual intent and none for the relative colorimetric one. The
    /// perceptual table then serves every intent (ICC.1:2022 §8.10.2).
    let isPerceptualOnly: Bool
    /// PQ or HLG of 16 bits, if the profile names it by code points. Such a profile's own curves lead to the brightest light that
    /// can be told, beside which a page is dark.
    let highRange: ColourDescription?

    /// The most elements of a chain of calculations; honest ones have three or four. lcms takes time by the square of their
    /// number: 5,000 elements, in a file of 333 bytes, keep it busy for more than the 20 s that a picture may take.
    static let mostElements = 8
    /// The most channels between two of them. A table of 15 channels has 32,768 values around each point.
    static let mostChannels: UInt16 = 4
    /// The most segments of all curves in them, which lcms searches one by one for each value.
    static let mostSegments = 4_096

    /// Nil if the bytes are no ICC profile, or one that lcms would calculate with for long.
    package init?(_ bytes: [UInt8]) {
        let file = TagTable(bytes: bytes)
        guard bytes.count >= 132, bytes[36..<40].elementsEqual("acsp".utf8), !Self.isLong(file) else {
            return nil
        }
        switch file.letters(16) {
        case "GRAY": space = .grey
        case "RGB ": space = .rgb
        case "CMYK": space = .cmyk
        default: space = .other
        }
        highRange = space == .rgb ? Self.highRange(file) : nil
        isSRGB = space == .rgb && highRange == nil && Self.isSRGB(file)
        isWide = space == .rgb && !isSRGB && Self.isWide(file)
        isPerceptualOnly = file.tag("A2B0") != nil && file.tag("A2B1") == nil
    }

    /// True if an RGB profile defines its colours, by a table or by primaries and curves (ICC.1:2022 §8.3 to §8.6), and is no
    /// shorter than its length field says. Readers ignore other profiles.
    static func isWhole(_ bytes: [UInt8]) -> Bool {
        let file = TagTable(bytes: bytes)
        guard let length = file.uint32(0), length <= file.bytes.count,
            let kind = file.letters(12), ["mntr", "scnr", "prtr", "spac"].contains(kind),
            let connection = file.letters(20), ["XYZ ", "Lab "].contains(connection)
        else { return false }
        let tables = ["A2B0", "A2B1", "D2B0", "D2B1"].compactMap { file.tag($0).flatMap(file.letters) }
        if tables.contains(where: ["mft1", "mft2", "mAB ", "mpet"].contains) { return true }
        return ["r", "g", "b"].allSatisfy { colour in
            file.tag(colour + "XYZ").flatMap(file.xyz) != nil
                && file.tag(colour + "TRC").flatMap { ToneCurve(file, at: $0) } != nil
        }
    }

    /// The colours of cicpType (ICC.1:2022 §10.3): its name, 4 bytes of zeros, then primaries and transfer, a byte each.
    private static func highRange(_ file: TagTable) -> ColourDescription? {
        guard let tag = file.tag("cicp"), file.letters(tag) == "cicp", let points = file.uint16(tag + 8),
            let colours = ColourDescription(codePoints: Int(points >> 8), Int(points & 0xFF), depth: 16),
            colours.isHighRange
        else { return nil }
        return colours
    }

    private static func isLong(_ file: TagTable) -> Bool {
        ["D2B0", "D2B1", "D2B2", "D2B3"].contains { name in
            file.tags(name).contains { file.letters($0) == "mpet" && isLong(chainAt: $0, file) }
        }
    }

    /// Whether a conversion to the connection space takes long, or cannot be read (ICC.1:2022 §10.18, multiProcessElementsType):
    ///
    ///     12   number of elements, then each: offset from the tag, size
    ///
    /// An element has its channels at 8 and 10. That of curves, "cvst", has at 12 for each its offset from the element, and a
    /// curve has at 8 the number of its segments.
    private static func isLong(chainAt tag: Int, _ file: TagTable) -> Bool {
        guard let count = file.uint32(tag + 12), count <= mostElements else { return true }
        var segments = 0
        for index in 0..<Int(count) {
            guard let offset = file.uint32(tag + 16 + 8 * index) else { return true }
            let element = tag + Int(offset)
            guard let taken = file.uint16(element + 8), let made = file.uint16(element + 10),
                max(taken, made) <= mostChannels
            else { return true }
            guard file.letters(element) == "cvst" else { continue }
            for curve in 0..<Int(taken) {
                guard let place = file.uint32(element + 12 + 8 * curve),
                    let more = file.uint16(element + Int(place) + 8)
                else { return true }
                segments += Int(more)
            }
        }
        return segments > mostSegments
    }

    private static func isWide(_ file: TagTable) -> Bool {
        guard file.tag("A2B0") == nil, file.tag("A2B1") == nil else { return true }
        return ["rXYZ", "gXYZ", "bXYZ"].contains { name in
            guard let primary = file.tag(name).flatMap(file.xyz) else { return false }
            return MatrixColours.Target.sRGB.inverse.contains { row in
                zip(row, primary).map(*).reduce(0, +) < ColourMatrix.leastOutside
            }
        }
    }

    private static func isSRGB(_ file: TagTable) -> Bool {
        // A lookup table takes precedence over the matrix and can hold any colours.
        guard file.tag("A2B0") == nil, file.tag("A2B1") == nil else { return false }
        // The primaries of IEC 61966-2-1, adapted to D50.
        let primaries: [(String, [Double])] = [
            ("rXYZ", [0.4360, 0.2225, 0.0139]), ("gXYZ", [0.3851, 0.7169, 0.0971]),
            ("bXYZ", [0.1431, 0.0606, 0.7141]),
        ]
        for (name, expected) in primaries {
            guard let tag = file.tag(name), let found = file.xyz(tag) else { return false }
            guard zip(found, expected).allSatisfy({ abs($0 - $1) < 0.002 }) else { return false }
        }
        for name in ["rTRC", "gTRC", "bTRC"] {
            guard let tag = file.tag(name), let curve = ToneCurve(file, at: tag) else { return false }
            // This tolerance refuses a plain gamma of 2.2, which differs by 0.004 in the middle.
            for step in 0...20 {
                let x = Double(step) / 20
                guard abs(curve.value(x) - ToneCurve.sRGB.value(x)) < 0.002 else { return false }
            }
        }
        return true
    }
}
