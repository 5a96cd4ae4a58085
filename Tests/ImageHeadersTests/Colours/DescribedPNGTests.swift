// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

private typealias Sample = SampleHeaders

/// In units of 0.00001.
private func gAMA(_ gamma: Int) -> [UInt8] { Sample.chunk("gAMA", Sample.big(gamma, 4)) }

private func cHRM(_ points: Chromaticities) -> [UInt8] {
    let numbers = [points.white, points.red, points.green, points.blue].flatMap { [$0.x, $0.y] }
    return Sample.chunk("cHRM", numbers.flatMap { Sample.big(Int(($0 * 100_000).rounded()), 4) })
}

private func cICP(_ numbers: UInt8...) -> [UInt8] { Sample.chunk("cICP", numbers) }

private let iCCP = Sample.chunk("iCCP", Array("p\0\0".utf8) + [1, 2, 3])
private let sRGB = Sample.chunk("sRGB", [0])

private func colours(_ chunks: [UInt8]...) -> ColourDescription? {
    PNGColours.read(HeaderBytes(Sample.png(before: chunks.flatMap(\.self))))
}

@Suite struct DescribedPNGTests {
    @Test func `code points tell primaries, transfer and range`() {
        #expect(colours(cICP(12, 13, 0, 1)) == ColourDescription(primaries: .displayP3, transfer: .sRGB))
        #expect(colours(cICP(12, 13, 0, 0))?.isLimited == true)
        // Samples of other matrices are not red, green and blue.
        #expect(colours(cICP(12, 13, 1, 1)) == nil)
        #expect(colours(Sample.chunk("cICP", [12, 13, 0])) == nil)
        #expect(colours(cICP(1, 13, 0, 1))?.isSRGB == true)
    }

    @Test func `code points come first, a profile second, sRGB third`() {
        #expect(colours(iCCP, cICP(12, 13, 0, 1))?.primaries == .displayP3)
        #expect(colours(sRGB, gAMA(100_000), cICP(12, 13, 0, 1))?.primaries == .displayP3)
        #expect(colours(iCCP, gAMA(100_000), cHRM(.displayP3)) == nil)
        #expect(colours(gAMA(100_000), cHRM(.displayP3), sRGB) == nil)
        // Chunks that describe nothing leave it to the others.
        #expect(colours(cICP(3, 13, 0, 1), gAMA(100_000))?.transfer == .poweredSRGB(1 / 2.2))
    }

    @Test func `a gamma alone is brought to that of a display`() {
        for usual in [45_455, 45_454, 44_000, 47_000] { #expect(colours(gAMA(usual)) == nil) }
        #expect(colours(gAMA(100_000))?.transfer == .poweredSRGB(1 / 2.2))
        #expect(colours(gAMA(100_000))?.primaries == .sRGB)
        #expect(colours(gAMA(55_556))?.transfer == .poweredSRGB(1 / (2.2 * 0.55556)))
        for mistake in [0, 1, 4_000_000_000] { #expect(colours(gAMA(mistake)) == nil) }
    }

    @Test func `chromaticities and a gamma are a profile`() {
        #expect(
            colours(cHRM(.displayP3), gAMA(50_000))
                == ColourDescription(primaries: .displayP3, transfer: .power(2)))
        #expect(colours(cHRM(.displayP3))?.transfer == .sRGB)
        #expect(colours(cHRM(.sRGB), gAMA(45_455)) == nil)
        #expect(colours(cHRM(.sRGB)) == nil)
        #expect(colours(cHRM(.sRGB), gAMA(100_000))?.transfer == .power(1))
    }

    @Test func `the peak is the display's, or a usual one`() {
        let zeros = [UInt8](repeating: 0, count: 16)
        let display = Sample.chunk("mDCV", zeros + Sample.big(10_000_000, 4) + Sample.big(1, 4))
        let points = cICP(9, 16, 0, 1)
        #expect(colours(points)?.transfer == .perceptualQuantizer(peak: 4000))
        #expect(colours(points, display)?.transfer == .perceptualQuantizer(peak: 1000))
        #expect(colours(display, points)?.transfer == .perceptualQuantizer(peak: 1000))
    }

    @Test func `chunks behind the first pixels count for nothing`() {
        let file = Sample.png()
        #expect(PNGColours.read(HeaderBytes(file + cICP(12, 13, 0, 1))) == nil)
    }
}
