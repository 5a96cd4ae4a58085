// SPDX-License-Identifier: Apache-2.0
// PNGs that describe their colours, compared with lcms: the same pixels with an ICC profile of the same primaries
// and curve.

import Glibc
import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

private let samples: [[UInt8]] = [
    [255, 255, 255], [0, 0, 0], [128, 128, 128], [30, 30, 30], [200, 100, 50], [60, 160, 90], [40, 60, 180],
    [230, 210, 60],
    [180, 60, 140], [20, 90, 100],
]

private let bt2020 = Chromaticities(
    red: .init(0.708, 0.292), green: .init(0.17, 0.797), blue: .init(0.131, 0.046))
private let adobe = Chromaticities(red: .init(0.64, 0.33), green: .init(0.21, 0.71), blue: .init(0.15, 0.06))

/// A colour space as PNG chunks, and the same as a profile.
private struct DescribedColour: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var chunks: [UInt8]
    var primaries: Chromaticities
    /// Nil means sRGB's curve.
    var power: Double?

    var profile: [UInt8] {
        // An s15Fixed16Number; a parametric curve of type 0.
        let number = Int(((power ?? 1) * 65536).rounded())
        let curve =
            power == nil
            ? MatrixProfile.sRGBCurve
            : Array("para".utf8) + [0, 0, 0, 0] + big16(0) + [0, 0] + big32(number)
        let adapted = LightReference.adapted(primaries, to: [0.9642, 1, 0.8249])
        return MatrixProfile(primaries: adapted, curve: curve, light: { $0 }).file()
    }
}

private func cHRM(_ points: Chromaticities) -> [UInt8] {
    let numbers = [points.white, points.red, points.green, points.blue].flatMap { [$0.x, $0.y] }
    return PNGFile.chunk("cHRM", numbers.flatMap { big32(Int(($0 * 100_000).rounded())) })
}

private func gAMA(_ gamma: Int) -> [UInt8] { PNGFile.chunk("gAMA", big32(gamma)) }

private let described: [DescribedColour] =
    [(UInt8(9), bt2020), (12, .displayP3), (1, .sRGB)].flatMap { code, points in
        [(UInt8(13), nil), (1, 2.4), (4, 2.2), (8, 1)].map { transfer, power in
            DescribedColour(
                testDescription: "cICP \(code)/\(transfer)",
                chunks: PNGFile.chunk("cICP", [code, transfer, 0, 1]),
                primaries: points, power: power)
        }
    } + [
        DescribedColour(
            testDescription: "Adobe RGB by cHRM and gAMA", chunks: cHRM(adobe) + gAMA(45_470),
            primaries: adobe, power: 1 / 0.4547),
        DescribedColour(testDescription: "P3 by cHRM alone", chunks: cHRM(.displayP3), primaries: .displayP3),
        DescribedColour(
            testDescription: "cHRM of sRGB and gAMA 0.55", chunks: cHRM(.sRGB) + gAMA(55_000),
            primaries: .sRGB, power: 1 / 0.55),
    ]

private func png(_ colour: [UInt8], deep: Bool = false, before: [UInt8]) -> [UInt8] {
    PNGFile.write(
        width: 16, height: 16, depth: deep ? 16 : 8, colourType: 2,
        rows: (0..<256).flatMap { _ in deep ? colour.flatMap { [$0, $0] } : colour }, before: before)
}

@Suite struct DescribedPNGPixelTests {
    @Test(arguments: described)
    fileprivate func `what chunks say is what lcms makes of a profile that says it`(
        described: DescribedColour
    ) throws {
        for colour in samples {
            let expected = try centre(png(colour, before: PNGFile.profile(described.profile)))
            for deep in [false, true] {
                let shown = try centre(png(colour, deep: deep, before: described.chunks))
                #expect(
                    Lab.distance(shown, expected) <= 2, "\(colour), deep \(deep): \(shown), not \(expected)")
            }
        }
    }

    @Test func `a gamma alone is undone as browsers undo it`() throws {
        for (gamma, colour) in [(100_000, 64), (35_000, 128), (55_000, 200)] {
            let shown = try centre(png([UInt8](repeating: UInt8(colour), count: 3), before: gAMA(gamma)))
            let expected = 255 * pow(Double(colour) / 255, 1 / (2.2 * Double(gamma) / 100_000))
            #expect(abs(Double(shown[0]) - expected) <= 1, "\(gamma): \(shown), not \(expected)")
        }
    }

    @Test func `the usual chunks change no byte`() throws {
        let canvas = Canvas(40, 30) { x, y in [UInt8(x * 6), UInt8(y * 8), 90] }
        func file(_ before: [UInt8]) -> [UInt8] {
            PNGFile.write(
                width: 40, height: 30, depth: 8, colourType: 2, rows: canvas.samples, before: before)
        }
        let recipe = Recipe.make(.jpeg, w: 20)
        let plain = try TestRenderer.render(file([]), recipe).bytes
        let usual = [
            gAMA(45_455), cHRM(.sRGB), gAMA(45_455) + cHRM(.sRGB), PNGFile.chunk("sRGB", [0]) + gAMA(100_000),
            PNGFile.chunk("cICP", [1, 13, 0, 1]),
        ]
        for chunks in usual { #expect(try TestRenderer.render(file(chunks), recipe).bytes == plain) }
        #expect(try TestRenderer.render(file(gAMA(100_000)), recipe).bytes != plain)
    }

    @Test func `code points come before a profile, and a profile before the rest`() throws {
        let colour: [UInt8] = [200, 100, 50]
        let adobe = PNGFile.profile(MatrixProfile.adobeRGB.file())
        let p3 = PNGFile.chunk("cICP", [12, 13, 0, 1])
        #expect(try centre(png(colour, before: p3 + adobe)) == centre(png(colour, before: p3)))
        #expect(try centre(png(colour, before: adobe + gAMA(100_000))) == centre(png(colour, before: adobe)))
        let plain = PNGFile.chunk("cICP", [1, 13, 0, 1])
        #expect(try centre(png(colour, before: plain + adobe)) == colour)
    }

    @Test func `sixteen bits of light keep the dark`() throws {
        // 1 % of linear light is 25 in sRGB; with 8 bits of light it would be 3 of 255.
        let rows = (0..<768).flatMap { _ in [0x02, 0x8F] as [UInt8] }
        let file = PNGFile.write(
            width: 16, height: 16, depth: 16, colourType: 2, rows: rows,
            before: PNGFile.chunk("cICP", [1, 8, 0, 1]))
        #expect(distance(try centre(file), [25, 25, 25]) <= 1)
    }

    @Test func `PQ and HLG, narrow range, grey and alpha`() throws {
        // 203 cd/m² is 0.58 in PQ and 0.75 in HLG; both as 16 bits.
        for (transfer, number) in [(UInt8(16), 0.58069), (18, 0.75)] {
            for isNarrow in [false, true] {
                let share = isNarrow ? (16 + 219 * number) * 256 / 65_535 : number
                let value = UInt16((share * 65_535).rounded())
                let sample = [UInt8(value >> 8), UInt8(value & 255)]
                let chunk = PNGFile.chunk("cICP", [9, transfer, 0, isNarrow ? 0 : 1])
                for (type, bands) in [(UInt8(0), 1), (2, 3), (4, 1), (6, 3)] {
                    let pixel =
                        Array([sample, sample, sample].prefix(bands).joined()) + (type >= 4 ? [0x80, 0] : [])
                    let file = PNGFile.write(
                        width: 16, height: 16, depth: 16, colourType: type,
                        rows: Array([[UInt8]](repeating: pixel, count: 256).joined()),
                        before: chunk)
                    let shown = try centre(file, .make(.png))
                    let curve: ColourDescription.Transfer =
                        transfer == 16 ? .perceptualQuantizer(peak: 4000) : .hybridLogGamma
                    let expected = LightReference.inSRGB(
                        [number, number, number], ColourDescription(primaries: bt2020, transfer: curve))
                    #expect(distance(Array(shown.prefix(bands)), Array(expected.prefix(bands))) <= 1)
                    #expect(shown.count == bands + (type >= 4 ? 1 : 0) && (type < 4 || shown.last == 128))
                }
            }
        }
    }

    @Test func `the white of a page is lighter where the display was less bright`() throws {
        let points = PNGFile.chunk("cICP", [9, 16, 0, 1])
        func white(_ before: [UInt8]) throws -> [UInt8] {
            // 203 cd/m² in PQ.
            let rows = Array([[UInt8]](repeating: [0x94, 0xA8], count: 256).joined())
            return try centre(
                PNGFile.write(width: 16, height: 16, depth: 16, colourType: 0, rows: rows, before: before),
                .make(.png))
        }
        func display(_ peak: Int) -> [UInt8] {
            PNGFile.chunk("mDCV", [UInt8](repeating: 0, count: 16) + big32(peak * 10_000) + big32(50))
        }
        for (chunks, expected) in [
            (points, 208), (points + display(1000), 229), (points + display(203), 255),
        ] {
            #expect(distance(try white(chunks), [UInt8(expected)]) <= 1, "\(expected)")
        }
    }

    @Test func `chromaticities that make no colours are left aside`() throws {
        let colour: [UInt8] = [200, 100, 50]
        let point = Chromaticities.Point(0.3, 0.3)
        let mad = [
            Chromaticities(red: point, green: point, blue: point),
            Chromaticities(red: .init(0, 0), green: .init(0, 0), blue: .init(0, 0), white: .init(0, 0)),
            Chromaticities(
                red: .init(0.64, 0.33), green: .init(0.3, 0.6), blue: .init(0.15, 0.06), white: .init(0.3, 0)),
            Chromaticities(red: .init(40_000, 1), green: .init(1, 40_000), blue: .init(0, 0)),
        ]
        for points in mad { #expect(try centre(png(colour, before: cHRM(points))) == colour) }
    }
}
