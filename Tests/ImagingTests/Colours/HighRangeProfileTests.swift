// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Testing

private let bt2020 = Chromaticities(
    red: .init(0.708, 0.292), green: .init(0.17, 0.797), blue: .init(0.131, 0.046))

/// Profiles that name PQ or HLG by code points (ICC.1:2022 §9.2.17). Their curves and primaries are others here.
@Suite struct HighRangeProfileTests {
    private let colours: [[UInt8]] = [[148, 148, 148], [0, 0, 0], [150, 75, 30], [88, 150, 63]]

    private func profile(_ codePoints: [UInt8]) -> [UInt8] {
        MatrixProfile.adobeRGB.file(codePoints: codePoints)
    }

    /// A PNG of 8 or 16 bits.
    private func png(_ colour: [UInt8], depth: UInt8, _ profile: [UInt8]) -> [UInt8] {
        // v × 257 is v in 16 bits.
        let pixel = depth == 16 ? colour.flatMap { [$0, $0] } : colour
        return PNGFile.write(
            width: 16, height: 16, depth: depth, colourType: 2, rows: (0..<256).flatMap { _ in pixel },
            before: PNGFile.profile(profile))
    }

    @Test(arguments: [16, 18] as [UInt8], [8, 16] as [UInt8])
    func `a PNG arrives as the code points of its profile say`(transfer: UInt8, depth: UInt8) throws {
        let curve: ColourDescription.Transfer =
            transfer == 16 ? .perceptualQuantizer(peak: 4_000) : .hybridLogGamma
        for colour in colours {
            let shown = try centre(png(colour, depth: depth, profile([9, transfer, 0, 1])))
            let expected = LightReference.inSRGB(
                colour.map { Double($0) / 255 }, ColourDescription(primaries: bt2020, transfer: curve))
            #expect(Lab.distance(shown, expected) <= 2, "\(colour): \(shown), not \(expected)")
        }
    }

    @Test(arguments: [true, false])
    func `a JPEG does, whole and made smaller, read by libvips or not`(jpegLane: Bool) throws {
        let flat = PNGFile.write(Canvas(32, 32, of: [150, 75, 30]))
        let plain = try TestRenderer.render(flat, .make(.jpeg, q: 100)).bytes
        let file = JPEGFile.withProfile(profile([9, 16, 0, 1]), plain)
        let expected = LightReference.inSRGB(
            [150, 75, 30].map { $0 / 255 },
            ColourDescription(primaries: bt2020, transfer: .perceptualQuantizer(peak: 4_000)))
        for width in [32, 16] {
            let made = try TestRenderer.render(file, .make(.png, w: width), jpegLane: jpegLane)
            let canvas = try #require(try TestRenderer.decode(made.bytes))
            let shown = canvas[width / 2, width / 2]
            #expect(Lab.distance(shown, expected) <= 4, "\(width): \(shown), not \(expected)")
        }
    }

    @Test func `other code points leave a profile as it is`() throws {
        for points: [UInt8] in [[1, 13, 0, 1], [9, 1, 0, 1], [3, 16, 0, 1], [16]] {
            let file = png([150, 75, 30], depth: 8, profile(points))
            let expected = MatrixProfile.adobeRGB.inSRGB([150, 75, 30])
            #expect(try distance(centre(file), expected) <= 3, "\(points)")
        }
    }
}
