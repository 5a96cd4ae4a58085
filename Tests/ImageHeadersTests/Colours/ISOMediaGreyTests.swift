// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import RandomInputs
import Testing

private typealias Sample = SampleHeaders

/// Sequence headers that libaom wrote for a grey picture of limited range; one bit changes them to full
/// range.
private enum Sequence {
    static let still: [UInt8] = [0x18, 0x0C, 0xFF, 0xD8, 0x44]
    static let moving: [UInt8] = [0x10, 0, 0, 1, 0x9F, 0xF9, 0xFF, 0xF0, 0x44]
    static let deep: [UInt8] = [0x18, 0x0C, 0xFF, 0xD8, 0xC4]

    static func full(_ header: [UInt8]) -> [UInt8] { header.dropLast() + [(header.last ?? 0) | 0x10] }

    /// The header behind a temporal delimiter.
    static func unit(_ header: [UInt8]) -> [UInt8] { [0x12, 0, 0x0A, UInt8(header.count)] + header }
}

private func av1C(isGrey: Bool = true, _ units: [UInt8] = []) -> [UInt8] {
    Sample.box("av1C", [0x81, 0, isGrey ? 0x1C : 0x0C, 0] + units)
}

private func hvcC(chroma: UInt8) -> [UInt8] {
    Sample.box("hvcC", [UInt8](repeating: 0xFC, count: 16) + [0xFC | chroma, 0xF8])
}

private func colr(full: Bool) -> [UInt8] {
    Sample.box("colr", Array("nclx".utf8) + [0, 1, 0, 13, 0, 1, full ? 0x80 : 0])
}

private func isLimited(_ file: [UInt8]) -> Bool { ISOMediaGrey.isLimited(HeaderBytes(file)) }

@Suite struct ISOMediaGreyTests {
    private func file(_ properties: [UInt8]...) -> [UInt8] {
        Sample.heif(properties: [Sample.ispe(16, 16)] + properties)
    }

    @Test func `the colour box tells the range of a grey picture`() {
        #expect(isLimited(file(av1C(), colr(full: false))))
        #expect(!isLimited(file(av1C(), colr(full: true))))
        #expect(!isLimited(file(av1C(isGrey: false), colr(full: false))))
        #expect(isLimited(file(hvcC(chroma: 0), colr(full: false))))
        #expect(!isLimited(file(hvcC(chroma: 0), colr(full: true))))
        #expect(!isLimited(file(hvcC(chroma: 1), colr(full: false))))
        #expect(!isLimited(file(colr(full: false))))
    }

    @Test func `the colour box comes before the sequence header`() {
        let units = Sequence.unit(Sequence.still)
        #expect(!isLimited(file(av1C(units), colr(full: true))))
        #expect(isLimited(file(av1C(Sequence.unit(Sequence.full(Sequence.still))), colr(full: false))))
        let profile = Sample.box("colr", Array("prof".utf8) + [1, 2, 3])
        #expect(isLimited(file(av1C(units), profile)))
    }

    @Test(arguments: [Sequence.still, Sequence.moving, Sequence.deep])
    func `without a colour box the sequence header tells it`(header: [UInt8]) {
        #expect(isLimited(file(av1C(Sequence.unit(header)))))
        #expect(!isLimited(file(av1C(Sequence.unit(Sequence.full(header))))))
        for count in 0..<Sequence.unit(header).count {
            #expect(!isLimited(file(av1C(Array(Sequence.unit(header).prefix(count))))))
        }
    }

    /// Item 1 has the properties 2 and 3; further boxes follow.
    private func meta(primary: Int, associations: [UInt8], _ properties: [[UInt8]], _ boxes: [UInt8])
        -> [UInt8]
    {
        let ipma = Sample.box("ipma", [0, 0, 0, 0] + associations)
        let iprp = Sample.box("iprp", Sample.box("ipco", properties.flatMap { $0 }) + ipma)
        let pitm = Sample.box("pitm", [0, 0, 0, 0] + Sample.big(primary, 2))
        return Sample.box("ftyp", Array("avif".utf8) + [0, 0, 0, 0] + Array("mif1".utf8))
            + Sample.box("meta", [0, 0, 0, 0] + pitm + iprp + boxes)
    }

    @Test func `a picture of tiles is as its tiles are`() {
        let properties = [Sample.ispe(16, 16), av1C(), colr(full: false)]
        let associations: [UInt8] = Sample.big(2, 4) + [0, 1, 2, 1, 2, 0, 2, 2, 1, 3]
        for (version, parts) in [(0, [0, 2, 0, 1, 0, 1]), (1, [0, 0, 0, 2, 0, 1, 0, 0, 0, 1])]
            as [(UInt8, [UInt8])]
        {
            let iref = Sample.box("iref", [version, 0, 0, 0] + Sample.box("dimg", parts))
            #expect(isLimited(meta(primary: 2, associations: associations, properties, iref)))
        }
        #expect(!isLimited(meta(primary: 2, associations: associations, properties, [])))
    }

    @Test func `the sequence header is found where the picture's bytes are`() throws {
        for (header, expected) in [(Sequence.still, true), (Sequence.full(Sequence.still), false)] {
            let unit = Sequence.unit(header)
            func file(_ version: UInt8, at place: Int) -> [UInt8] {
                let id = version < 2 ? 2 : 4
                let iloc =
                    [version, 0, 0, 0, 0x44, 0] + Sample.big(1, id) + Sample.big(1, id)
                    + (version == 0 ? [] : [0, 0]) + [0, 0, 0, 1] + Sample.big(place, 4)
                    + Sample.big(unit.count, 4)
                return meta(
                    primary: 1, associations: Sample.big(1, 4) + [0, 1, 2, 1, 2],
                    [Sample.ispe(16, 16), av1C()], Sample.box("iloc", iloc)) + unit
            }
            for version: UInt8 in 0...2 {
                let length = file(version, at: 0).count
                #expect(isLimited(file(version, at: length - unit.count)) == expected)
                #expect(!isLimited(file(version, at: length)))
                #expect(!isLimited(file(version, at: 0x7FFF_FFFF)))
            }
        }
    }

    @Test func `whatever is cut or spoilt has some answer`() {
        var random = SeededRandom(for: "spoilt grey pictures")
        let whole = file(av1C(Sequence.unit(Sequence.moving)))
        for _ in 0..<2_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 24..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            _ = isLimited(Array(bytes.prefix(Int.random(in: 24...bytes.count, using: &random))))
        }
    }
}
