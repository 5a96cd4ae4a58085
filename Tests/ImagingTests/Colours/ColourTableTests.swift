// SPDX-License-Identifier: Apache-2.0
//
// Every way in which a picture can store colours, compared with a reference that is computed here from the definitions
// and not by a library. Each row prints its largest ΔE (CIE 1976); docs/reference/pixels.md has the table.

import Glibc
import ImageHeaders
@testable import Imaging
import PixelReference
import Testing

private let samples: [[UInt8]] = [
    [255, 255, 255], [0, 0, 0], [128, 128, 128], [64, 64, 64], [200, 100, 50], [60, 160, 90], [40, 60, 180],
    [230, 210, 60], [180, 60, 140], [20, 90, 100],
]
private let greys: [[UInt8]] = [0, 20, 64, 128, 200, 255].map { [$0] }

/// One row: how a colour is stored, and the same colour in sRGB by definition.
struct ColourMode: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// The largest allowed ΔE.
    var limit: Double
    var samples: [[UInt8]]
    var file: @Sendable (_ colour: [UInt8]) throws -> [UInt8]
    var reference: @Sendable (_ colour: [UInt8]) -> [UInt8] = { $0 }
}

private func flat(_ colour: [UInt8]) -> Canvas { Canvas(16, 16, of: colour) }

private func jpeg(_ colour: [UInt8], _ profile: [UInt8]?) throws -> [UInt8] {
    let file = try TestRenderer.render(PNGFile.write(flat(colour)), .make(.jpeg, q: 100)).bytes
    return profile.map { JPEGFile.withProfile($0, file) } ?? file
}

/// A PNG of 8 or 16 bits a band, with a profile or without; with an alpha of 160 if `alpha`.
private func png(_ colour: [UInt8], depth: UInt8 = 8, alpha: Bool = false, profile: [UInt8]? = nil) -> [UInt8]
{
    let bands = colour + (alpha ? [160] : [])
    // v × 257 is v in 16 bits.
    let pixel = depth == 16 ? bands.flatMap { [$0, $0] } : bands
    let type = colour.count == 3 ? (alpha ? 6 : 2) : alpha ? 4 : 0
    return PNGFile.write(
        width: 16, height: 16, depth: depth, colourType: UInt8(type), rows: (0..<256).flatMap { _ in pixel },
        before: profile.map(PNGFile.profile) ?? [])
}

private func tiff(_ samples: [UInt8], bits: Int = 8, photometric: Int) -> [UInt8] {
    let count = samples.count * 8 / bits
    return TIFFFile.write([
        .init(
            width: 16, height: 16, bits: [Int](repeating: bits, count: count), photometric: photometric,
            samples: (0..<256).flatMap { _ in samples })
    ])
}

private func matrixMode(_ name: String, _ profile: MatrixProfile, limit: Double) -> [ColourMode] {
    let reference: @Sendable ([UInt8]) -> [UInt8] = { profile.inSRGB($0) }
    return [
        ColourMode(
            testDescription: "\(name), JPEG, 8 bits", limit: limit, samples: samples,
            file: { try jpeg($0, profile.file()) }, reference: reference),
        ColourMode(
            testDescription: "\(name), PNG, 8 bits", limit: limit, samples: samples,
            file: { png($0, profile: profile.file()) }, reference: reference),
        ColourMode(
            testDescription: "\(name), PNG, 8 bits, alpha", limit: limit, samples: samples,
            file: { png($0, alpha: true, profile: profile.file()) }, reference: reference),
        ColourMode(
            testDescription: "\(name), PNG, 16 bits", limit: limit, samples: samples,
            file: { png($0, depth: 16, profile: profile.file()) }, reference: reference),
    ]
}

/// Grey with a gamma of 1.8, which no other interpretation comes near.
private let greyGamma = MatrixProfile(
    primaries: [], curve: Array("curv".utf8) + [0, 0, 0, 0] + big32(1) + big16(461),
    light: { pow($0, 461.0 / 256) })

private let greyReference: @Sendable ([UInt8]) -> [UInt8] = { colour in
    [UInt8((encodeSRGB(greyGamma.light(Double(colour[0]) / 255)) * 255).rounded())]
}

private let modes: [ColourMode] =
    matrixMode("sRGB", .sRGB, limit: 1.2) + matrixMode("Display P3", .displayP3, limit: 1.2)
    + matrixMode("Adobe RGB", .adobeRGB, limit: 2) + matrixMode("ProPhoto RGB", .proPhoto, limit: 1.5) + [
        ColourMode(
            testDescription: "no profile, JPEG, 8 bits", limit: 1.2, samples: samples,
            file: { try jpeg($0, nil) }),
        ColourMode(testDescription: "no profile, PNG, 8 bits", limit: 0, samples: samples, file: { png($0) }),
        ColourMode(
            testDescription: "no profile, PNG, 8 bits, alpha", limit: 1, samples: samples,
            file: { png($0, alpha: true) }),
        ColourMode(
            testDescription: "no profile, PNG, 16 bits", limit: 0, samples: samples,
            file: { png($0, depth: 16) }),
        ColourMode(
            testDescription: "no profile, PNG, 16 bits, alpha", limit: 1, samples: samples,
            file: { png($0, depth: 16, alpha: true) }),
        ColourMode(
            testDescription: "no profile, TIFF, 8 bits", limit: 0, samples: samples,
            file: { tiff($0, photometric: 2) }),
        ColourMode(
            testDescription: "no profile, TIFF, 16 bits", limit: 0, samples: samples,
            file: { tiff($0.flatMap { [$0, $0] }, bits: 16, photometric: 2) }),
        ColourMode(
            testDescription: "palette, PNG", limit: 0, samples: samples, file: { PNGFile.palette($0) }),
        ColourMode(
            testDescription: "WebP, lossy", limit: 1, samples: samples,
            file: { try TestRenderer.render(PNGFile.write(flat($0)), .make(.webp, q: 100)).bytes }),
        ColourMode(
            testDescription: "AVIF, 8 bits", limit: 1.2, samples: samples,
            file: { try TestRenderer.render(PNGFile.write(flat($0)), .make(.avif, q: 100)).bytes }),
        ColourMode(testDescription: "grey, PNG, 8 bits", limit: 0, samples: greys, file: { png($0) }),
        ColourMode(
            testDescription: "grey, PNG, 8 bits, alpha", limit: 1, samples: greys,
            file: { png($0, alpha: true) }),
        ColourMode(
            testDescription: "grey, PNG, 16 bits", limit: 0, samples: greys, file: { png($0, depth: 16) }),
        ColourMode(testDescription: "grey, JPEG", limit: 0.5, samples: greys, file: { try jpeg($0, nil) }),
        ColourMode(
            testDescription: "grey, gamma 1.8, JPEG", limit: 0.5, samples: greys,
            file: { try jpeg($0, greyGamma.file(space: "GRAY")) }, reference: greyReference),
        ColourMode(
            testDescription: "grey, gamma 1.8, PNG, alpha", limit: 1, samples: greys,
            file: { png($0, alpha: true, profile: greyGamma.file(space: "GRAY")) }, reference: greyReference),
        ColourMode(
            testDescription: "1 bit, PNG", limit: 0, samples: [[0], [255]],
            file: {
                PNGFile.write(
                    width: 16, height: 16, depth: 1, colourType: 0, rows: [UInt8](repeating: $0[0], count: 32)
                )
            }),
        ColourMode(
            testDescription: "Lab, TIFF, 8 bits", limit: 4, samples: samples,
            file: { colour in
                // L* of 0…255, a* and b* as signed bytes (TIFF 6.0 §23).
                let lab = Lab.of(colour)
                let chroma = lab[1...2].map { UInt8(bitPattern: Int8(max(-128, min(127, $0.rounded())))) }
                return tiff([UInt8((lab[0] * 2.55).rounded())] + chroma, photometric: 8)
            }),
    ]

@Suite struct ColourTableTests {
    @Test(arguments: modes)
    func `colours come through in every mode, within the row's ΔE`(mode: ColourMode) throws {
        var worst = 0.0
        for colour in mode.samples {
            let original = try mode.file(colour)
            for width in [16, 7] {
                let made = try TestRenderer.render(original, .make(.png, w: width))
                let pixels = try #require(try TestRenderer.decode(made.bytes))
                let shown = pixels[width / 2, width / 2]
                let bands = mode.reference(colour).count
                worst = max(worst, Lab.distance(Array(shown.prefix(bands)), mode.reference(colour)))
                if shown.count > bands { #expect(abs(Int(shown[bands]) - 160) <= 1) }
            }
        }
        print("ΔE \((worst * 100).rounded() / 100)\t\(mode.testDescription)")
        #expect(worst <= mode.limit)
    }
}
