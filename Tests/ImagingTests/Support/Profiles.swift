// SPDX-License-Identifier: Apache-2.0

import Glibc
import PixelReference

/// ICC profiles made of three primaries and one curve (ICC.1:2001, version 2 matrix profiles), and the reference
/// conversion from them to sRGB.
struct MatrixProfile {
    /// Red, green and blue as XYZ, adapted to D50.
    var primaries: [[Double]]
    /// The bytes of a `curv` or `para` tag.
    var curve: [UInt8]
    /// The curve as a function.
    var light: @Sendable (Double) -> Double

    static let sRGBPrimaries = [
        [0.43607, 0.22249, 0.01392], [0.38515, 0.71687, 0.09708], [0.14307, 0.06061, 0.71410],
    ]
    static let sRGBCurve =
        Array("para".utf8) + [0, 0, 0, 0] + big16(3) + [0, 0]
        + [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].flatMap(fixed)

    static let sRGB = MatrixProfile(primaries: sRGBPrimaries, curve: sRGBCurve, light: decodeSRGB)
    static let displayP3 = MatrixProfile(
        primaries: [
            [0.51512, 0.24120, -0.00105], [0.29198, 0.69225, 0.04189], [0.15710, 0.06657, 0.78407],
        ],
        curve: sRGBCurve, light: decodeSRGB)
    static let adobeRGB = MatrixProfile(
        primaries: [
            [0.60974, 0.31111, 0.01947], [0.20528, 0.62567, 0.06087], [0.14919, 0.06322, 0.74457],
        ],
        curve: Array("curv".utf8) + [0, 0, 0, 0] + big32(1) + big16(563), light: { pow($0, 563.0 / 256) })

    /// ROMM RGB (ISO 22028-2) with a plain power, as its profiles have.
    static let proPhoto = MatrixProfile(
        primaries: [[0.79767, 0.28804, 0], [0.13519, 0.71188, 0], [0.03135, 0.00008, 0.82490]],
        curve: Array("curv".utf8) + [0, 0, 0, 0] + big32(1) + big16(461), light: { pow($0, 461.0 / 256) })

    /// - Parameter codePoints: primaries, transfer, matrix and full range; empty if the profile names none.
    func file(space: String = "RGB ", codePoints: [UInt8] = []) -> [UInt8] {
        var tags: [(String, [UInt8])] = [("wtpt", xyz([0.9642, 1, 0.8249]))]
        if space == "RGB " {
            for (name, primary) in zip(["rXYZ", "gXYZ", "bXYZ"], primaries) {
                tags.append((name, xyz(primary)))
            }
            for name in ["rTRC", "gTRC", "bTRC"] { tags.append((name, curve)) }
        } else {
            tags.append(("kTRC", curve))
        }
        if !codePoints.isEmpty { tags.append(("cicp", Array("cicp".utf8) + [0, 0, 0, 0] + codePoints)) }
        return profileFile(ofClass: "mntr", from: space, to: "XYZ ", tags)
    }

    /// The colour of these samples in sRGB, clipped and rounded.
    func inSRGB(_ colour: [UInt8]) -> [UInt8] {
        let linear = colour.map { light(Double($0) / 255) }
        let xyz = (0..<3).map { row in (0..<3).map { primaries[$0][row] * linear[$0] }.reduce(0, +) }
        let back = solve(Self.sRGBPrimaries, xyz)
        return back.map { UInt8((encodeSRGB(min(max($0, 0), 1)) * 255).rounded()) }
    }
}

/// A printer's profile (ICC.1:2001, version 2, a lut8Type): the colour of each ink printed alone at full strength, and
/// white paper. Between no ink and full ink, Lab is linear.
struct InkProfile {
    /// The inks cyan, magenta, yellow and black in Lab.
    var inks: [[Double]]

    private static let paper = [100.0, 0, 0]

    /// The profile with one table for these intents.
    func file(_ names: [String] = ["A2B0", "A2B1", "A2B2"]) -> [UInt8] {
        let identity = (0...255).map { UInt8($0) }
        let unit = (0..<9).map { $0 % 4 == 0 ? 1.0 : 0 }
        var table = Array("mft1".utf8) + [0, 0, 0, 0, 4, 3, 2, 0] + unit.flatMap(fixed)
        for _ in 0..<4 { table += identity }
        // Two points for each ink, where the last ink's changes first; overprinted inks are black.
        for point in 0..<16 {
            let full = (0..<4).filter { point >> (3 - $0) & 1 == 1 }
            let lab = full.isEmpty ? Self.paper : full.count == 1 ? inks[full[0]] : [0, 0, 0]
            table += [UInt8((lab[0] * 2.55).rounded()), UInt8(lab[1] + 128), UInt8(lab[2] + 128)]
        }
        for _ in 0..<3 { table += identity }
        return profileFile(
            ofClass: "prtr", from: "CMYK", to: "Lab ",
            [("wtpt", xyz([0.9642, 1, 0.8249]))] + names.map { ($0, table) })
    }

    /// Lab of one ink at a strength of 0…1.
    func lab(_ ink: Int, _ strength: Double) -> [Double] {
        zip(Self.paper, inks[ink]).map { $0 + ($1 - $0) * strength }
    }
}

/// Header, table of tags and tags (ICC.1:2001, §6).
private func profileFile(
    ofClass kind: String, from space: String, to connection: String, _ tags: [(String, [UInt8])]
) -> [UInt8] {
    let tags =
        tags + [
            (
                "desc",
                Array("desc".utf8) + [0, 0, 0, 0] + big32(2) + [0x78, 0] + [UInt8](repeating: 0, count: 78)
            ),
            ("cprt", Array("text".utf8) + [0, 0, 0, 0, 0x78, 0]),
        ]
    var (table, data): ([UInt8], [UInt8]) = (big32(tags.count), [])
    for (name, payload) in tags {
        table += Array(name.utf8) + big32(132 + 12 * tags.count + data.count) + big32(payload.count)
        data += payload + [UInt8](repeating: 0, count: (4 - payload.count % 4) % 4)
    }
    var header = [UInt8](repeating: 0, count: 128)
    func put(_ bytes: [UInt8], at offset: Int) {
        header.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
    put(big32(128 + table.count + data.count), at: 0)
    put([2, 0x40], at: 8)
    put(Array((kind + space + connection).utf8), at: 12)
    put(Array("acsp".utf8), at: 36)
    put([0.9642, 1, 0.8249].flatMap(fixed), at: 68)
    return header + table + data
}

private func fixed(_ value: Double) -> [UInt8] { big32(Int((value * 65536).rounded())) }

private func xyz(_ values: [Double]) -> [UInt8] { Array("XYZ ".utf8) + [0, 0, 0, 0] + values.flatMap(fixed) }

@Sendable func decodeSRGB(_ x: Double) -> Double { x > 0.04045 ? pow((x + 0.055) / 1.055, 2.4) : x / 12.92 }

func encodeSRGB(_ x: Double) -> Double { x > 0.0031308 ? 1.055 * pow(x, 1 / 2.4) - 0.055 : x * 12.92 }

/// The weights with which three columns add up to a vector, by Cramer's rule.
func solve(_ columns: [[Double]], _ vector: [Double]) -> [Double] {
    func determinant(_ c: [[Double]]) -> Double {
        c[0][0] * (c[1][1] * c[2][2] - c[2][1] * c[1][2]) - c[1][0] * (c[0][1] * c[2][2] - c[2][1] * c[0][2])
            + c[2][0] * (c[0][1] * c[1][2] - c[1][1] * c[0][2])
    }
    return (0..<3).map { index in
        var replaced = columns
        replaced[index] = vector
        return determinant(replaced) / determinant(columns)
    }
}
