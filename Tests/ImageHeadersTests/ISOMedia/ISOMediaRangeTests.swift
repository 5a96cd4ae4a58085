// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

private typealias Sample = SampleHeaders

/// Parameter sets that declare full range; one bit makes it limited.
private enum ParameterSet {
    /// The set that x265 writes for a still picture.
    static let usual: [UInt8] = [
        0x42, 0x01, 0x01, 0x04, 0x08, 0x00, 0x00, 0x03, 0x00, 0x9C, 0x38, 0x00, 0x00, 0x03, 0x00, 0x00, 0x1E,
        0x90, 0x04, 0x10, 0x20, 0x9B, 0x2D, 0xD5, 0x5D, 0x35, 0xCD, 0xC0, 0x80, 0x81, 0x81, 0x00, 0x00, 0x03,
        0x00, 0x01, 0x00, 0x00, 0x03, 0x00, 0x01, 0x08,
    ]

    /// A set with everything that may precede the range: two layers, a conformance window, scaling lists, PCM samples, short-term and
    /// long-term reference pictures, the pixel aspect ratio, and overscan.
    static let full: [UInt8] = [
        0x42, 0x01, 0x03, 0x01, 0x60, 0x00, 0x00, 0x90, 0x00, 0x00, 0x03, 0x00, 0x00, 0x03, 0x00, 0x00, 0x5D,
        0xC0, 0x00, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x5A, 0x90, 0x04, 0x10,
        0x63, 0x4C, 0x85, 0x6C, 0xB2, 0xE5, 0xEA, 0x44, 0xFD, 0x32, 0x16, 0x99, 0x0B, 0x4C, 0x85, 0xAA, 0xAA,
        0xAA, 0xAA, 0xB2, 0x53, 0x21, 0x69, 0x90, 0xB4, 0xC8, 0x5A, 0x64, 0x2D, 0x32, 0x16, 0x99, 0x0B, 0x4C,
        0x85, 0xA6, 0x42, 0xD3, 0x21, 0x69, 0x90, 0xB4, 0xC8, 0x5A, 0x64, 0x2D, 0x32, 0x2D, 0xDE, 0x8D, 0x2D,
        0x8A, 0x6D, 0x83, 0xC2, 0x5F, 0xFE, 0x00, 0x02, 0x00, 0x03, 0x6E, 0x02, 0x1A, 0x0B,
    ]

    /// The offset of the byte with the flag, and the flag's bit.
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

    /// Item 1 is the picture, with the properties 1 and 2; item 2 is a thumbnail of it or of another item,
    /// with 3 and 4.
    private func withThumbnail(_ picture: [UInt8], _ thumbnail: [UInt8], of master: UInt8 = 1) -> [UInt8] {
        let properties = [hvcC(picture), colr(full: false), hvcC(thumbnail), colr(full: false)]
        let ipma: [UInt8] = [0, 0, 0, 0] + Sample.big(2, 4) + [0, 1, 2, 1, 2, 0, 2, 2, 3, 4]
        let ipco = Sample.box("ipco", properties.flatMap { $0 })
        let iprp = Sample.box("iprp", ipco + Sample.box("ipma", ipma))
        let iref = Sample.box("iref", [0, 0, 0, 0] + Sample.box("thmb", [0, 2, 0, 1, 0, master]))
        return Sample.box("ftyp", Array("heic".utf8) + [0, 0, 0, 0] + Array("mif1".utf8))
            + Sample.box("meta", [0, 0, 0, 0] + Sample.box("pitm", [0, 0, 0, 0, 0, 1]) + iprp + iref)
    }

    @Test func `a thumbnail has the range of its own coding`() {
        var limited = ParameterSet.usual
        limited[27] ^= 0x80
        let both = misstated(withThumbnail(ParameterSet.usual, ParameterSet.full))
        #expect(both.count == 2)
        #expect(misstated(withThumbnail(limited, ParameterSet.usual)).count == 1)
        #expect(misstated(withThumbnail(limited, limited)).isEmpty)
        let another = misstated(withThumbnail(ParameterSet.usual, ParameterSet.full, of: 3))
        #expect(another.count == 1 && another.first == both.first)
    }

    @Test(arguments: ParameterSet.range)
    func `a grey picture has the range of its coding as well`(set: [UInt8], byte: Int, bit: UInt8) {
        var limited = set
        limited[byte] ^= bit
        let p3 = Sample.box("colr", Array("nclx".utf8) + [0, 12, 0, 13, 0, 5, 0])
        for (set, isLimited) in [(set, false), (limited, true)] {
            let described = ISOMediaColours.read(HeaderBytes(file(hvcC(set), p3)))
            #expect(described?.isLimited == isLimited)
            #expect(ISOMediaGrey.isLimited(HeaderBytes(file(hvcC(set), p3))) == isLimited)
        }
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
