// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

private typealias Sample = SampleHeaders

/// Parameter sets that tell of the full range; a bit makes it limited.
private enum ParameterSet {
    /// What x265 writes for a still.
    static let usual: [UInt8] = [
        0x42, 0x01, 0x01, 0x04, 0x08, 0x00, 0x00, 0x03, 0x00, 0x9C, 0x38, 0x00, 0x00, 0x03, 0x00, 0x00, 0x1E,
        0x90, 0x04, 0x10, 0x20, 0x9B, 0x2D, 0xD5, 0x5D, 0x35, 0xCD, 0xC0, 0x80, 0x81, 0x81, 0x00, 0x00, 0x03,
        0x00, 0x01, 0x00, 0x00, 0x03, 0x00, 0x01, 0x08,
    ]

    /// With all that may stand before the range: two layers, a window, factors, plain samples, pictures to refer to for short and for
    /// long, the shape of a pixel, and the rim.
    static let full: [UInt8] = [
        0x42, 0x01, 0x03, 0x01, 0x60, 0x00, 0x00, 0x90, 0x00, 0x00, 0x03, 0x00, 0x00, 0x03, 0x00, 0x00, 0x5D,
        0xC0, 0x00, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x5A, 0x90, 0x04, 0x10,
        0x63, 0x4C, 0x85, 0x6C, 0xB2, 0xE5, 0xEA, 0x44, 0xFD, 0x32, 0x16, 0x99, 0x0B, 0x4C, 0x85, 0xAA, 0xAA,
        0xAA, 0xAA, 0xB2, 0x53, 0x21, 0x69, 0x90, 0xB4, 0xC8, 0x5A, 0x64, 0x2D, 0x32, 0x16, 0x99, 0x0B, 0x4C,
        0x85, 0xA6, 0x42, 0xD3, 0x21, 0x69, 0x90, 0xB4, 0xC8, 0x5A, 0x64, 0x2D, 0x32, 0x2D, 0xDE, 0x8D, 0x2D,
        0x8A, 0x6D, 0x83, 0xC2, 0x5F, 0xFE, 0x00, 0x02, 0x00, 0x03, 0x6E, 0x02, 0x1A, 0x0B,
    ]

    /// The byte with the bit, and the bit.
    static let range = [(usual, 27, 0x80), (full, full.count - 4, 0x04)] as [([UInt8], Int, UInt8)]
}

private func hvcC(_ set: [UInt8]) -> [UInt8] {
    let units: [UInt8] = [33, 0, 1] + Sample.big(set.count, 2) + set
    return Sample.box("hvcC", [UInt8](repeating: 0, count: 22) + [1] + units)
}

private func colr(full: Bool) -> [UInt8] {
    Sample.box("colr", Array("nclx".utf8) + [0, 1, 0, 13, 0, 5, full ? 0x80 : 0])
}

private func misstated(_ file: [UInt8]) -> [Int] { ISOMediaRange.misstated(HeaderBytes(file)) }

@Suite struct ISOMediaRangeTests {
    private func file(_ properties: [UInt8]...) -> [UInt8] {
        Sample.heif(brand: "heic", properties: [Sample.ispe(64, 64)] + properties)
    }

    @Test(arguments: ParameterSet.range)
    func `a colour box that limits what is coded in full is wrong`(
        set: [UInt8], byte: Int, bit: UInt8
    ) throws {
        let whole = file(hvcC(set), colr(full: false))
        let place = try #require(misstated(whole).first)
        #expect(misstated(whole).count == 1)
        #expect(whole[place - 10..<place - 6].elementsEqual("nclx".utf8))
        #expect(misstated(file(hvcC(set), colr(full: true))).isEmpty)
        var limited = set
        limited[byte] ^= bit
        #expect(misstated(file(hvcC(limited), colr(full: false))).isEmpty)
    }

    @Test func `what does not tell of its range is as the box says`() {
        #expect(misstated(file(colr(full: false))).isEmpty)
        #expect(misstated(file(hvcC([]), colr(full: false))).isEmpty)
        #expect(misstated(file(hvcC(ParameterSet.usual))).isEmpty)
        let profile = Sample.box("colr", Array("prof".utf8) + [UInt8](repeating: 0, count: 16))
        #expect(misstated(file(hvcC(ParameterSet.usual), profile)).isEmpty)
    }

    @Test(arguments: ParameterSet.range)
    func `a parameter set that breaks off before tells nothing`(set: [UInt8], byte: Int, bit: UInt8) {
        for length in 0..<byte {
            let cut = file(hvcC(Array(set.prefix(length))), colr(full: false))
            #expect(misstated(cut).isEmpty, "\(length) bytes")
        }
    }
}
