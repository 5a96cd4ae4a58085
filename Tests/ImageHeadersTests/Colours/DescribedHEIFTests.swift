// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

private typealias Sample = SampleHeaders

private func nclx(_ primaries: UInt8, _ transfer: UInt8) -> [UInt8] {
    Sample.box("colr", Array("nclx".utf8) + [0, primaries, 0, transfer, 0, 9, 0x80])
}

/// - Parameter flags: 0x40 for more than 8 bits, 0x20 for 12 bits, 0x10 for grey.
private func av1C(_ flags: UInt8 = 0) -> [UInt8] { Sample.box("av1C", [0x81, 0, flags | 0x0C, 0]) }

private let profile = Sample.box("colr", Array("prof".utf8) + [1, 2, 3])

private func colours(_ properties: [UInt8]...) -> ColourDescription? {
    ISOMediaColours.read(HeaderBytes(Sample.heif(properties: [Sample.ispe(16, 16)] + properties)))
}

private func peak(_ description: ColourDescription?) -> Double? {
    guard case .perceptualQuantizer(let peak) = description?.transfer else { return nil }
    return peak
}

@Suite struct DescribedHEIFTests {
    @Test func `the colour box tells primaries and transfer`() {
        #expect(colours(av1C(), nclx(12, 13)) == ColourDescription(primaries: .displayP3, transfer: .sRGB))
        #expect(colours(av1C(), nclx(2, 8))?.transfer == .power(1))
        #expect(colours(av1C(), nclx(9, 18))?.transfer == .hybridLogGamma)
        #expect(colours(nclx(12, 13)) == nil)
    }

    @Test func `sRGB by any numbers is not described`() {
        for (primaries, transfer) in [(1, 13), (2, 13), (1, 2), (2, 2)] as [(UInt8, UInt8)] {
            #expect(colours(av1C(), nclx(primaries, transfer)) == nil)
        }
        // Reserved numbers, numbers that no picture uses, and unknown ones.
        for (primaries, transfer) in [(0, 13), (3, 13), (10, 13), (12, 0), (12, 9), (12, 19)]
            as [(UInt8, UInt8)]
        {
            #expect(colours(av1C(), nclx(primaries, transfer)) == nil)
        }
    }

    @Test func `an ICC profile comes before code points, in any order`() {
        #expect(colours(av1C(), nclx(12, 13), profile) == nil)
        #expect(colours(av1C(), profile, nclx(12, 13)) == nil)
    }

    @Test func `the coding tells the depth`() {
        #expect(colours(av1C(), nclx(9, 16))?.depth == 8)
        #expect(colours(av1C(0x40), nclx(9, 16))?.depth == 10)
        #expect(colours(av1C(0x60), nclx(9, 16))?.depth == 12)
        let hvcC = Sample.box("hvcC", [UInt8](repeating: 0xFC, count: 16) + [0xFD, 0xFA])
        #expect(colours(hvcC, nclx(9, 16))?.depth == 10)
    }

    @Test func `the peak is the display's, or a usual one`() {
        func display(_ peak: Int) -> [UInt8] {
            Sample.box(
                "mdcv", [UInt8](repeating: 0, count: 16) + Sample.big(peak * 10_000, 4) + Sample.big(50, 4))
        }
        #expect(peak(colours(av1C(0x40), nclx(9, 16))) == 4000)
        #expect(peak(colours(av1C(0x40), nclx(9, 16), display(1000))) == 1000)
        #expect(peak(colours(av1C(0x40), display(0), nclx(9, 16))) == 4000)
        #expect(peak(colours(av1C(0x40), nclx(9, 16), display(100))) == 203)
        #expect(peak(colours(av1C(0x40), nclx(9, 16), display(100_000))) == 10_000)
    }

    @Test func `a grey picture of limited range stays limited`() {
        let limited = Sample.box("colr", Array("nclx".utf8) + [0, 9, 0, 16, 0, 9, 0])
        #expect(colours(av1C(0x50), limited)?.isLimited == true)
        #expect(colours(av1C(0x40), limited)?.isLimited == false)
    }

    @Test func `of a sequence header the code points are read`() {
        // Still picture, profile 1: 8 bits, 4:4:4; primaries 9, transfer 16, matrix 9, full range.
        var bits = "001" + "1" + "1" + "00000" + "0011" + "0011" + "1111" + "1111" + "000" + "000"
        bits += "0" + "1" + "00001001" + "00010000" + "00001001" + "1" + "0000"
        #expect(codePoints(bits) == CodePoints(primaries: 9, transfer: 16))
        // Profile 0 has a bit for grey.
        bits = "000" + "1" + "1" + "00000" + "0011" + "0011" + "1111" + "1111" + "000" + "000"
        bits += "1" + "0" + "1" + "00001100" + "00010010" + "00001001" + "1" + "0000"
        #expect(codePoints(bits) == CodePoints(primaries: 12, transfer: 18))
    }

    private func codePoints(_ bits: String) -> CodePoints? {
        let padded = bits + String(repeating: "0", count: 7)
        let digits = Array(padded.prefix(padded.count / 8 * 8))
        let bytes = stride(from: 0, to: digits.count, by: 8).map {
            UInt8(String(digits[$0..<$0 + 8]), radix: 2) ?? 0
        }
        let unit: [UInt8] = [0x12, 0, 0x0A, UInt8(bytes.count)] + bytes
        var reader = HeaderReader(HeaderBytes(unit))
        return (try? AV1SequenceHeader(&reader, in: 0..<unit.count))?.codePoints
    }
}
