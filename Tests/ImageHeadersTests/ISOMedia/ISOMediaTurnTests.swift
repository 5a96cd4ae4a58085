// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

private typealias Sample = SampleHeaders

@Suite struct ISOMediaTurnTests {
    /// Item 1 is the picture, and item 2 its alpha or another auxiliary picture.
    private func file(
        _ turns: [[UInt8]], alpha: [[UInt8]] = [Sample.alphaProperty], master: UInt8 = 1,
        size: (Int, Int) = (16, 8)
    ) -> [UInt8] {
        let shared = Sample.ispe(size.0, size.1)
        let properties = [shared] + turns + alpha
        func indices(_ range: Range<Int>) -> [UInt8] {
            [UInt8(range.count + 1), 1] + range.map { UInt8($0 + 1) }
        }
        let ipma: [UInt8] =
            [0, 0, 0, 0] + Sample.big(2, 4) + [0, 1] + indices(1..<1 + turns.count) + [0, 2]
            + indices(1 + turns.count..<properties.count)
        let iprp = Sample.box(
            "iprp", Sample.box("ipco", properties.flatMap { $0 }) + Sample.box("ipma", ipma))
        let iref = Sample.box("iref", [0, 0, 0, 0] + Sample.box("auxl", [0, 2, 0, 1, 0, master]))
        return Sample.box("ftyp", Array("avif".utf8) + [0, 0, 0, 0] + Array("mif1".utf8))
            + Sample.box("meta", [0, 0, 0, 0] + Sample.box("pitm", [0, 0, 0, 0, 0, 1]) + iprp + iref)
    }

    private func irot(_ quarters: UInt8) -> [UInt8] { Sample.box("irot", [quarters]) }

    private func imir(_ axis: UInt8) -> [UInt8] { Sample.box("imir", [axis]) }

    /// Width, height, and the distances of their centre, each as numerator and denominator.
    private func clap(_ numbers: Int...) -> [UInt8] {
        Sample.box("clap", numbers.flatMap { Sample.big($0 & 0xFFFF_FFFF, 4) })
    }

    private func turn(_ file: [UInt8]) -> ISOMediaTurn? { ISOMediaTurn.leftToUs(HeaderBytes(file)) }

    @Test func `turns of colours alone are told as EXIF tells them`() {
        let cases: [([[UInt8]], Int?)] = [
            ([imir(1)], 2), ([irot(2)], 3), ([imir(0)], 4), ([irot(1), imir(0)], 5), ([irot(3)], 6),
            ([irot(3), imir(0)], 7), ([irot(1)], 8), ([irot(0)], nil), ([irot(1), irot(3)], nil),
            ([imir(0), imir(1)], 3), ([imir(0), irot(3)], 5), ([], nil),
        ]
        for (turns, orientation) in cases {
            #expect(turn(file(turns))?.orientation == orientation, "\(turns)")
        }
    }

    @Test func `their places are those of their names`() throws {
        let whole = file([irot(1), imir(0)])
        let places = try #require(turn(whole)).places
        #expect(places.map { String(decoding: whole[$0..<$0 + 4], as: UTF8.self) } == ["irot", "imir"])
    }

    @Test func `an alpha with a turn of its own needs no other`() {
        #expect(turn(file([irot(1)], alpha: [Sample.alphaProperty, irot(1)])) == nil)
        #expect(turn(file([imir(1)], alpha: [Sample.alphaProperty, imir(1)])) == nil)
    }

    @Test func `a crop of colours alone is told in whole pixels`() throws {
        let cases: [([Int], [Int]?)] = [
            ([12, 1, 6, 1, 4, 2, 2, 2], [4, 2, 12, 6]), ([16, 1, 8, 1, 0, 1, 0, 1], [0, 0, 16, 8]),
            ([1, 1, 1, 1, -15, 2, 7, 2], [0, 7, 1, 1]), ([3, 1, 8, 1, 1, 2, 0, 9], [7, 0, 3, 8]),
            // Through pixels, beyond the picture, empty, and with a denominator of 0.
            ([3, 1, 8, 1, 0, 1, 0, 1], nil), ([25, 2, 8, 1, 0, 1, 0, 1], nil),
            ([12, 1, 6, 1, 3, 1, 0, 1], nil), ([12, 1, 6, 1, -3, 1, 0, 1], nil),
            ([17, 1, 8, 1, 0, 1, 0, 1], nil), ([0, 1, 8, 1, 0, 1, 0, 1], nil),
            ([12, 0, 6, 1, 0, 1, 0, 1], nil), ([12, 1, 6, 1, 0, 0, 0, 1], nil),
            ([-1, 1, -1, 1, -1, -1, -1, -1], nil), ([12, 1, 6, 1, 0, 1, 0], nil),
        ]
        for (numbers, wanted) in cases {
            let box = Sample.box("clap", numbers.flatMap { Sample.big($0 & 0xFFFF_FFFF, 4) })
            let found = turn(file([box]))
            let crop = found?.crop.map { [$0.x, $0.y, $0.size.width, $0.size.height] }
            #expect(crop == wanted, "\(numbers)")
            #expect(found?.orientation == (wanted == nil ? nil : 1))
            #expect(turn(file([box, irot(3)]))?.orientation == (wanted == nil ? nil : 6))
        }
        let whole = file([clap(12, 1, 6, 1, 4, 2, 2, 2), irot(1)])
        let places = try #require(turn(whole)).places
        #expect(places.map { String(decoding: whole[$0..<$0 + 4], as: UTF8.self) } == ["clap", "irot"])
        let shared = [Sample.alphaProperty, clap(12, 1, 6, 1, 4, 2, 2, 2)]
        #expect(turn(file([clap(12, 1, 6, 1, 4, 2, 2, 2), irot(1)], alpha: shared)) == nil)
    }

    @Test func `a picture without a side has no crop`() {
        let crop = clap(12, 1, 6, 1, 4, 2, 2, 2)
        #expect(turn(file([crop], size: (0, 0))) == nil)
        #expect(turn(file([crop], size: (0xFFFF_FFFF, 0xFFFF_FFFF))) == nil)
    }

    @Test func `without alpha, or with a crop behind it, libheif turns all of it`() {
        let other = Sample.box("auxC", [0, 0, 0, 0] + Array("urn:other\0".utf8))
        #expect(turn(file([irot(1)], alpha: [other])) == nil)
        #expect(turn(file([irot(1)], master: 3)) == nil)
        #expect(turn(file([irot(1), Sample.box("clap", Array(repeating: 0, count: 32))])) == nil)
    }

    /// A grid of two parts: the grid has the first turns, its parts the second, and its alpha the third.
    private func grid(_ turns: [[UInt8]], parts: [[UInt8]], alpha: [[UInt8]]? = nil) -> [UInt8] {
        let tile = ("av01", [Sample.ispe(8, 8), AV1.av1C()] + parts, [UInt8(0)])
        var items = [("grid", [Sample.ispe(16, 8)] + turns, [UInt8](repeating: 0, count: 8)), tile, tile]
        var references = [("dimg", 1, [2, 3])]
        if let alpha {
            items.append(("av01", [Sample.ispe(16, 8), AV1.av1C(), Sample.alphaProperty] + alpha, [0]))
            references.append(("auxl", 4, [1]))
        }
        return CodedFile.make(
            items.map { (type: $0.0, properties: $0.1, bytes: $0.2) },
            references: references.map { (type: $0.0, from: $0.1, to: $0.2) })
    }

    @Test func `a grid whose parts have its own turn is turned once`() throws {
        let whole = grid([irot(1), imir(0)], parts: [irot(1), imir(0)])
        let found = try #require(turn(whole))
        #expect(found.orientation == 5 && found.crop == nil)
        #expect(found.places.map { String(decoding: whole[$0..<$0 + 4], as: UTF8.self) } == ["irot", "imir"])
        #expect(turn(grid([irot(1)], parts: [])) == nil)
        // A turn of the parts alone, or another turn.
        #expect(turn(grid([], parts: [irot(1)])) == nil)
        #expect(turn(grid([irot(1)], parts: [irot(3)])) == nil)
        // Alpha may have the same property or none, and nothing is changed if it has another.
        #expect(turn(grid([irot(1)], parts: [irot(1)], alpha: [irot(1)]))?.orientation == 8)
        #expect(turn(grid([irot(1)], parts: [irot(1)], alpha: []))?.orientation == 8)
        #expect(turn(grid([irot(1)], parts: [irot(1)], alpha: [irot(3)])) == nil)
        #expect(turn(grid([irot(1)], parts: [irot(1)], alpha: [irot(1), imir(0)])) == nil)
    }

    @Test func `a grid whose lists end too early is turned like one without parts`() throws {
        for (parts, alpha, orientation) in [
            ([], [], 8), ([irot(1)], [], 8), ([], nil, nil), ([], [irot(1)], nil),
        ] as [([[UInt8]], [[UInt8]]?, Int?)] {
            let whole = grid([irot(1)], parts: parts, alpha: alpha)
            #expect(turn(whole)?.orientation == orientation)
            // One item more than there are properties for.
            var short = whole
            let list = try #require(whole.indices.first { whole[$0...].starts(with: "ipma".utf8) })
            short[list + 11] += 1
            #expect(turn(short)?.orientation == orientation)
        }
    }

    @Test func `any part of a grid may have its turn, in a box of its own too`() throws {
        let tile = [Sample.ispe(8, 8), AV1.av1C()]
        let crop = [12, 1, 6, 1, 4, 2, 2, 2].flatMap { Sample.big($0, 4) }
        // Equal boxes count as one. Bytes behind a crop's numbers are ignored.
        for (own, places) in [(crop, 1), (crop + [0], 2)] {
            let whole = CodedFile.make(
                [
                    (
                        type: "grid", properties: [Sample.ispe(16, 8), Sample.box("clap", crop)],
                        bytes: [UInt8](repeating: 0, count: 8)
                    ),
                    (type: "av01", properties: tile, bytes: [0]),
                    (type: "av01", properties: tile + [Sample.box("clap", own)], bytes: [0]),
                ], references: [(type: "dimg", from: 1, to: [2, 3])])
            let found = try #require(turn(whole))
            #expect(found.crop?.size == PixelSize(width: 12, height: 6))
            let names = found.places.map { String(decoding: whole[$0..<$0 + 4], as: UTF8.self) }
            #expect(names == Array(repeating: "clap", count: places))
        }
    }

    @Test func `a mirrored picture of more than 8 bits is not left to libheif`() {
        func picture(_ flags: UInt8, _ turns: [[UInt8]]) -> [UInt8] {
            let coding = Sample.box("av1C", [0x81, 0, flags, 0])
            return CodedFile.make([
                (type: "av01", properties: [Sample.ispe(16, 8), coding] + turns, bytes: [0])
            ])
        }
        #expect(turn(picture(0x4C, [imir(1)]))?.orientation == 2)
        #expect(turn(picture(0x6C, [irot(1), imir(0)]))?.orientation == 5)
        #expect(turn(picture(0x0C, [imir(1)])) == nil)
        #expect(turn(picture(0x4C, [irot(1)])) == nil)
    }

    @Test func `what is cut turns nothing`() {
        let whole = file([irot(1)])
        for length in whole.indices { #expect(turn(Array(whole.prefix(length))) == nil, "\(length) bytes") }
    }
}
