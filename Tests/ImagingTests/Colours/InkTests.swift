// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Testing

/// A press whose inks have unusual colours.
private let oddPress = InkProfile(inks: [[60, 50, 40], [60, -40, 30], [50, 10, -40], [20, 0, 0]])

@Suite struct InkTests {
    @Test func `inks without a profile look as printed`() throws {
        // Inverted: 255 is no ink.
        let expected: [(samples: [UInt8], looks: (Int, Int, Int) -> Bool)] = [
            ([255, 255, 255, 255], { $0 > 250 && $1 > 250 && $2 > 250 }),
            ([0, 255, 255, 255], { $0 < 80 && $1 > 120 && $2 > 180 }),
            ([255, 0, 255, 255], { $0 > 180 && $1 < 80 && $2 > 90 }),
            ([255, 255, 0, 255], { $0 > 220 && $1 > 200 && $2 < 80 }),
            ([0, 0, 0, 0], { $0 < 40 && $1 < 40 && $2 < 40 }),
        ]
        for (samples, looks) in expected {
            let shown = try centre(JPEGFile.flatCMYK(32, 32, samples)).map(Int.init)
            try #require(shown.count == 3)
            #expect(looks(shown[0], shown[1], shown[2]), "\(samples) became \(shown)")
        }
    }

    @Test func `inks become the same colours in every output`() throws {
        let inks = JPEGFile.flatCMYK(32, 32, [90, 200, 140, 230])
        let reference = try centre(inks)
        for format in [ImageFormat.jpeg, .webp, .avif] {
            #expect(distance(try centre(inks, .make(format, w: 16, q: 95)), reference) <= 8)
        }
        let tiff = TIFFFile.write([
            .init(
                width: 8, height: 8, bits: [8, 8, 8, 8], photometric: 5,
                samples: Array(repeating: [165, 55, 115, 25], count: 64).flatMap { $0 })
        ])
        #expect(distance(try centre(tiff, .make(.png)), reference) <= 3)
    }

    @Test(arguments: 0..<4, [0.0, 0.25, 0.5, 1])
    func `inks with a profile look as it says`(ink: Int, strength: Double) throws {
        var samples: [UInt8] = [255, 255, 255, 255]
        samples[ink] = UInt8((255 * (1 - strength)).rounded())
        let expected = oddPress.lab(ink, strength)
        let (plain, luma) = (JPEGFile.flatCMYK(32, 32, samples), JPEGFile.flatYCCK(32, 32, samples))
        for (file, profile) in [
            (plain, oddPress.file()), (luma, oddPress.file()), (plain, oddPress.file(["A2B0"])),
        ] {
            let shown = try centre(JPEGFile.withProfile(profile, file))
            try #require(shown.count == 3)
            let difference = Lab.distance(Lab.inProfiles(shown), expected)
            #expect(difference <= 2, "ΔE \(difference): \(shown) for \(expected)")
        }
    }

    @Test(
        arguments: [
            [255, 255, 255, 255], [0, 255, 255, 255], [255, 0, 255, 255], [255, 255, 0, 255],
            [90, 200, 140, 230],
            [10, 240, 30, 90],
        ] as [[UInt8]])
    func `inks kept as luma and chroma are the same inks`(samples: [UInt8]) throws {
        let plain = try centre(JPEGFile.flatCMYK(32, 32, samples))
        #expect(try distance(centre(JPEGFile.flatYCCK(32, 32, samples)), plain) <= 3)
    }
}
