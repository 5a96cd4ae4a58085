// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

/// The colours of the patches.
private func patches(_ file: [UInt8], _ recipe: Recipe = .make(.png)) throws -> [[UInt8]] {
    let canvas = try #require(try TestRenderer.decode(TestRenderer.render(file, recipe).bytes))
    let (step, middle) = (canvas.width / 16, canvas.height / 2)
    return (0..<8).map { (index: Int) -> [UInt8] in canvas[(index * 2 + 1) * step, middle] }
}

private let bt2020 = Chromaticities(
    red: .init(0.708, 0.292), green: .init(0.17, 0.797), blue: .init(0.131, 0.046))

/// Code points of primaries in H.273, and their chromaticities.
private let primaries: [(code: UInt8, points: Chromaticities)] = [
    (1, .sRGB), (9, bt2020), (12, .displayP3),
    (
        11,
        Chromaticities(
            red: .init(0.68, 0.32), green: .init(0.265, 0.69), blue: .init(0.15, 0.06),
            white: .init(0.314, 0.351))
    ),
    (6, Chromaticities(red: .init(0.63, 0.34), green: .init(0.31, 0.595), blue: .init(0.155, 0.07))),
    (
        4,
        Chromaticities(
            red: .init(0.67, 0.33), green: .init(0.21, 0.71), blue: .init(0.14, 0.08),
            white: .init(0.31, 0.316))
    ),
]

private let transfers: [(code: UInt8, curve: ColourDescription.Transfer)] = [
    (13, .sRGB), (1, .power(2.4)), (14, .power(2.4)), (4, .power(2.2)), (5, .power(2.8)), (8, .power(1)),
    (17, .power(2.6)),
    (16, .perceptualQuantizer(peak: 4000)), (18, .hybridLogGamma),
]

@Suite struct DescribedColourTests {
    @Test(arguments: primaries.indices, transfers.indices)
    func `an AVIF of 10 bits arrives as its code points say`(first: Int, second: Int) throws {
        let (primaries, transfer) = (primaries[first], transfers[second])
        let file = PatchFile.file(PatchFile.tenBits, primaries: primaries.code, transfer: transfer.code)
        let colours = ColourDescription(primaries: primaries.points, transfer: transfer.curve)
        for (shown, numbers) in try zip(patches(file), PatchFile.numbers) {
            let expected = LightReference.inSRGB(numbers.map { $0 / 1023 }, colours)
            #expect(Lab.distance(shown, expected) <= 2, "\(numbers): \(shown), not \(expected)")
        }
    }

    @Test(arguments: primaries.indices, transfers.indices)
    func `an AVIF of 8 bits arrives as its code points say`(first: Int, second: Int) throws {
        let (primaries, transfer) = (primaries[first], transfers[second])
        let plain = try patches(PatchFile.file(PatchFile.eightBits, primaries: 2, transfer: 2))
        let file = PatchFile.file(PatchFile.eightBits, primaries: primaries.code, transfer: transfer.code)
        let colours = ColourDescription(primaries: primaries.points, transfer: transfer.curve)
        for (shown, numbers) in try zip(patches(file), plain) {
            let expected = LightReference.inSRGB(numbers.map { Double($0) / 255 }, colours)
            #expect(Lab.distance(shown, expected) <= 2, "\(numbers): \(shown), not \(expected)")
        }
    }

    @Test func `black stays black and the white of a page is light`() throws {
        for transfer: UInt8 in [16, 18] {
            let shown = try patches(PatchFile.file(PatchFile.tenBits, primaries: 9, transfer: transfer))
            #expect(shown[0] == [0, 0, 0])
            // 203 cd/m² and 1,000 cd/m², as PQ.
            if transfer == 16 {
                #expect(Set(shown[1]).count == 1 && (207...209).contains(shown[1][0]), "\(shown[1])")
                #expect(shown[3][0] > shown[1][0] && shown[3][0] < 255, "\(shown[3])")
            }
        }
    }

    @Test(arguments: [16, 18] as [UInt8])
    func `twelve bits are read as twelve`(transfer: UInt8) throws {
        let file = PatchFile.file(HEIFFile.twelveBits, primaries: 9, transfer: transfer)
        let curve: ColourDescription.Transfer =
            transfer == 16 ? .perceptualQuantizer(peak: 4000) : .hybridLogGamma
        let colours = ColourDescription(primaries: bt2020, transfer: curve)
        let expected = LightReference.inSRGB([200, 100, 50].map { $0 / 255 }, colours)
        #expect(Lab.distance(try centre(file, .make(.png)), expected) <= 2)
    }

    @Test func `without a colour box the sequence header tells`() throws {
        let file = PatchFile.undescribed(PatchFile.tenBits)
        #expect(try patches(file) == patches(PatchFile.tenBits))
        #expect(try patches(file) != patches(PatchFile.file(PatchFile.tenBits, primaries: 2, transfer: 2)))
    }

    @Test(arguments: [(1, 13), (2, 2), (1, 2), (0, 13), (3, 3), (200, 16)] as [(UInt8, UInt8)])
    func `code points of sRGB, unspecified and reserved ones change nothing`(
        primaries: UInt8, transfer: UInt8
    ) throws {
        let file = PatchFile.file(PatchFile.eightBits, primaries: primaries, transfer: transfer)
        let plain = PatchFile.file(PatchFile.eightBits, primaries: 2, transfer: 2)
        #expect(
            try TestRenderer.render(file, .make(.jpeg, w: 64)).bytes
                == TestRenderer.render(plain, .make(.jpeg, w: 64)).bytes)
    }

    @Test func `a resized picture has the colours of the whole one`() throws {
        for (file, transfer) in [(PatchFile.tenBits, 16), (PatchFile.eightBits, 13)] as [([UInt8], UInt8)] {
            let file = PatchFile.file(file, primaries: 9, transfer: transfer)
            for (whole, small) in try zip(patches(file), patches(file, Recipe.make(.png, w: 64))) {
                #expect(distance(whole, small) <= 1)
            }
        }
    }

    @Test func `the bytes of a described picture are not its answer`() throws {
        let file = PatchFile.file(PatchFile.eightBits, primaries: 9, transfer: 13)
        let made = try TestRenderer.render(file, .make(.avif, q: 100))
        #expect(made.bytes != file)
        #expect(ISOMediaColours.read(HeaderBytes(made.bytes)) == nil)
        #expect(try zip(patches(made.bytes), patches(file)).allSatisfy { distance($0, $1) <= 3 })
    }
}
