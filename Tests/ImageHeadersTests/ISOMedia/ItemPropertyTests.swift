// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

@Suite("An item has the properties that its association names, in their order")
struct ItemPropertyTests {
    private typealias Sample = SampleHeaders

    /// A picture with these boxes, whose item is named in `pitm`.
    private func header(
        pitm: [UInt8] = [0, 0, 0, 0, 0, 2],
        properties: [[UInt8]] = [Sample.ispe(160, 120), Sample.ispe(640, 480)],
        ipma: [UInt8], behind: [UInt8] = []
    ) throws -> ImageHeader {
        let iprp = Sample.box(
            "iprp", Sample.box("ipco", properties.flatMap { $0 }) + Sample.box("ipma", ipma))
        let meta = Sample.box("meta", [0, 0, 0, 0] + Sample.box("pitm", pitm) + iprp)
        return try ImageHeader.parse(
            Sample.box("ftyp", Array("avif".utf8) + [0, 0, 0, 0] + Array("mif1".utf8)) + meta + behind)
    }

    /// Version 0 has numbers of 16 bits, later ones of 32; the flag selects indices of 15 bits instead of 7.
    @Test func `items and indices have either size`() throws {
        let short: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 1, 1, 0, 2, 1, 0x82]
        #expect(try header(ipma: short).width == 640)
        let long: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 1, 1, 0, 0, 0, 2, 1, 0x82]
        #expect(try header(ipma: long).width == 640)
        let wide: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 1, 0, 1, 0, 2, 1, 0x80, 2]
        #expect(try header(ipma: wide).width == 640)
        let both: [UInt8] = [1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 2, 1, 0x80, 2]
        #expect(try header(ipma: both).width == 640)
        #expect(try header(pitm: [1, 0, 0, 0, 0, 0, 0, 2], ipma: both).width == 640)
    }

    @Test func `an index of nothing, or of no property, is passed over`() throws {
        #expect(try header(ipma: [0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 3, 0, 2, 0x80]).width == 640)
        #expect(try header(ipma: [0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 2, 2, 3]).width == 640)
        #expect(try header(ipma: [0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 2, 2, 0x7F]).width == 640)
    }

    @Test func `the last size that is named counts`() throws {
        #expect(try header(ipma: [0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 2, 1, 2]).width == 640)
        #expect(try header(ipma: [0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 2, 2, 1]).width == 160)
    }

    @Test func `an item without properties has no size`() {
        for ipma: [UInt8] in [
            [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 2],
            [0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0],
        ] {
            #expect(throws: ImageHeaderError.damaged) { try header(ipma: ipma) }
        }
    }

    @Test func `what lies behind the box is no association`() {
        // The next box's size would read as item 2 with one property, the second.
        let next = Sample.box("mdat", [UInt8](repeating: 0, count: 0x0002_0182 - 8))
        #expect(next.starts(with: [0, 2, 1, 0x82]))
        let ipma: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 1, 1]
        #expect(throws: ImageHeaderError.damaged) { try header(ipma: ipma, behind: next) }
    }

    @Test func `a turn and a crop are applied where they stand`() throws {
        let crop = Sample.box("clap", [301, 2, 100, 1, 0, 1, 0, 1].flatMap { Sample.big($0, 4) })
        let properties = [Sample.ispe(160, 120), Sample.ispe(640, 480), Sample.box("irot", [3]), crop]
        func size(_ indices: [UInt8]) throws -> [Int] {
            let ipma = [0, 0, 0, 0, 0, 0, 0, 1, 0, 2, UInt8(indices.count)] + indices
            let header = try header(properties: properties, ipma: ipma)
            return [header.width, header.height]
        }
        #expect(try size([2, 3]) == [480, 640])
        #expect(try size([2, 4]) == [150, 100])
        #expect(try size([2, 3, 4]) == [150, 100])
        #expect(try size([2, 4, 3]) == [100, 150])
        #expect(try size([2, 3, 3]) == [640, 480])
        // A crop cannot exceed the picture.
        #expect(try size([1, 4]) == [150, 100])
        let wide = Sample.box("clap", [9_000, 1, 9_000, 1, 0, 1, 0, 1].flatMap { Sample.big($0, 4) })
        let whole = try header(
            properties: [Sample.ispe(640, 480), wide], ipma: [0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 2, 1, 2])
        #expect((whole.width, whole.height) == (640, 480))
        let nothing = Sample.box("clap", [1, 0, 1, 1, 0, 1, 0, 1].flatMap { Sample.big($0, 4) })
        #expect(throws: ImageHeaderError.damaged) {
            try header(
                properties: [Sample.ispe(640, 480), nothing], ipma: [0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 2, 1, 2])
        }
    }

    @Test func `an alpha plane has either name`() throws {
        let ipma: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 1, 1]
        for (name, hasAlpha) in [
            ("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", true), ("urn:mpeg:hevc:2015:auxid:1", true),
            ("urn:mpeg:hevc:2015:auxid:2", false), ("urn:mpeg:hevc:2015:auxid:11", false),
            ("urn:mpeg:mpegB:cicp:systems:auxiliary:depth", false), ("", false),
        ] {
            let box = Sample.box("auxC", [0, 0, 0, 0] + Array(name.utf8) + [0])
            let header = try header(properties: [Sample.ispe(640, 480), box], ipma: ipma)
            #expect(header.hasAlpha == hasAlpha, "\(name)")
        }
    }

    @Test func `more boxes than any picture has are damage`() throws {
        let free = Sample.box("free", [])
        func properties(_ count: Int) -> [[UInt8]] {
            [Sample.ispe(640, 480)] + Array(repeating: free, count: count - 1)
        }
        let ipma: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 1, 1]
        #expect(try header(properties: properties(4_096), ipma: ipma).width == 640)
        #expect(throws: ImageHeaderError.damaged) { try header(properties: properties(4_097), ipma: ipma) }
    }
}
