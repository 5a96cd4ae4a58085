// SPDX-License-Identifier: Apache-2.0
//
// The facts of an ICC profile that are needed before lcms is asked (ICC.1:2022): its kind of numbers, and whether
// it is one of the many spellings of sRGB, which needs no conversion at all.
//
//     0    bytes of the file
//     12   class, 4 letters: display, camera, printer, space; others describe conversions
//     16   data colour space, 4 letters
//     20   the space that it leads to, 4 letters: XYZ or Lab
//     128  number of tags, then each: 4 letters, offset, size (all big-endian)

/// The facts of a colour profile that decide whether and how colours are converted.
package struct ICCProfile {
    enum Space { case grey, rgb, cmyk, other }

    let space: Space
    /// Its primaries and its curve are sRGB's, within what 8 bits can show.
    let isSRGB: Bool
    /// Some of its colours are outside sRGB.
    let isWide: Bool
    /// It has a table for the perceptual intent and none for the relative colorimetric one: that table stands for all
    /// intents (ICC.1:2022 §8.10.2).
    let isPerceptualOnly: Bool

    /// Nil for bytes that are no profile.
    package init?(_ bytes: [UInt8]) {
        let file = TagTable(bytes: bytes)
        guard bytes.count >= 132, bytes[36..<40].elementsEqual("acsp".utf8) else { return nil }
        switch file.letters(16) {
        case "GRAY": space = .grey
        case "RGB ": space = .rgb
        case "CMYK": space = .cmyk
        default: space = .other
        }
        isSRGB = space == .rgb && Self.isSRGB(file)
        isWide = space == .rgb && !isSRGB && Self.isWide(file)
        isPerceptualOnly = file.tag("A2B0") != nil && file.tag("A2B1") == nil
    }

    /// True if a profile of RGB says what its numbers mean, by a table, or by primaries and curves (ICC.1:2022 §8.3 to §8.6), and is
    /// no shorter than it tells: readers pass over others.
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
        // A lookup table takes precedence over the matrix, and may say anything.
        guard file.tag("A2B0") == nil, file.tag("A2B1") == nil else { return false }
        // IEC 61966-2-1's primaries, adapted to D50.
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
            // A plain gamma of 2.2 is off by 0.004 in the middle.
            for step in 0...20 {
                let x = Double(step) / 20
                guard abs(curve.value(x) - ToneCurve.sRGB.value(x)) < 0.002 else { return false }
            }
        }
        return true
    }
}
