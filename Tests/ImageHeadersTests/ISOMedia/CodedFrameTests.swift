// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import RandomInputs
import Testing

private typealias Sample = SampleHeaders

@Suite("Pixels that are decoded are those that a file codes, whatever it says is shown")
struct CodedFrameTests {
    private let small = Sample.ispe(24, 16)
    private let large = 4_000 * 3_900

    @Test func `of AV1 they are told by the sequence header, wherever that is`() throws {
        for form in AV1.Form.allCases {
            let sequence = AV1.sequence(4_000, 3_900, form)
            let units = AV1.delimiter + sequence + AV1.unit(6, [1, 2, 3])
            let truth = AV1.delimiter + AV1.sequence(24, 16, form)
            for inside in [false, true] {
                func avif(_ configuration: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
                    CodedFile.make([("av01", [small, AV1.av1C(configuration)], bytes)], inside: inside)
                }
                let comment: Comment = "\(form), \(inside)"
                try CodedFile.expectFits(avif([], truth), shown: 384, decoded: 384, comment)
                try CodedFile.expectFits(avif([], units), shown: 384, decoded: large, comment)
                try CodedFile.expectFits(avif(sequence, []), shown: 384, decoded: large, comment)
                // A decoder uses the last sequence header.
                try CodedFile.expectFits(avif(truth, units), shown: 384, decoded: large, comment)
                try CodedFile.expectFits(avif([], truth + units), shown: 384, decoded: large, comment)
                try CodedFile.expectFits(avif([7], units), shown: 384, decoded: large, comment)
            }
        }
    }

    @Test func `of HEVC they are told by the parameter set`() throws {
        for (layers, chroma) in [(0, 1), (1, 1), (6, 3), (0, 3)] {
            func heic(_ width: Int, _ height: Int) -> [UInt8] {
                CodedFile.make([
                    ("hvc1", [small, HEVC.hvcC(width, height, layers: layers, chroma: chroma)], [])
                ])
            }
            try CodedFile.expectFits(heic(24, 16), shown: 384, decoded: 384)
            try CodedFile.expectFits(heic(4_000, 3_900), shown: 384, decoded: large)
        }
    }

    @Test func `tiles, alpha and thumbnail are looked at, and what is not decoded is not`() throws {
        let honest = ("av01", [Sample.ispe(1_000, 800), AV1.av1C()], AV1.sequence(1_000, 800))
        let lying = ("av01", [small, AV1.av1C()], AV1.sequence(4_000, 3_900))
        let alpha = ("av01", [small, AV1.av1C(), Sample.alphaProperty], AV1.sequence(4_000, 3_900))
        let map = Sample.box("auxC", [0, 0, 0, 0] + Array("urn:com:photo:aux:hdrgainmap\0".utf8))
        let gain = ("av01", [small, AV1.av1C(), map], AV1.sequence(4_000, 3_900))
        let all = 1_000 * 800
        try CodedFile.expectFits(CodedFile.make([honest]), shown: all, decoded: all)
        try CodedFile.expectFits(CodedFile.make([honest, lying]), shown: all, decoded: all)
        for (other, type, decoded) in [
            (alpha, "auxl", large), (lying, "thmb", large), (gain, "auxl", all), (lying, "cdsc", all),
        ] {
            let bytes = CodedFile.make([honest, other], references: [(type, 2, [1])])
            try CodedFile.expectFits(bytes, shown: all, decoded: decoded, "\(type)")
        }
        let grid: [UInt8] = [0, 0, 0, 0] + Sample.big(1_000, 2) + Sample.big(800, 2)
        let wide: [UInt8] = [0, 1, 0, 0] + Sample.big(4_000, 4) + Sample.big(3_900, 4)
        let whole = [Sample.ispe(1_000, 800)]
        for inside in [false, true] {
            for (canvas, tile, decoded) in [(grid, honest, all), (grid, lying, large), (wide, honest, large)]
            {
                let bytes = CodedFile.make(
                    [("grid", whole, canvas), tile, honest], references: [("dimg", 1, [3, 2])], inside: inside
                )
                try CodedFile.expectFits(bytes, shown: all, decoded: decoded)
            }
        }
        // Tiles of tiles.
        try CodedFile.expectFits(
            CodedFile.make(
                [("grid", whole, grid), ("iden", whole, []), lying],
                references: [("dimg", 1, [2]), ("dimg", 2, [3])]),
            shown: all, decoded: large)
    }

    /// Items, each derived from the next.
    private func chain(_ count: Int) -> [UInt8] {
        let part = (type: "iden", properties: [small], bytes: [UInt8]())
        let last = ("av01", [small, AV1.av1C()], AV1.sequence(4_000, 3_900))
        return CodedFile.make(
            Array(repeating: part, count: count) + [last],
            references: (0..<count).map { ("dimg", $0 + 1, [$0 + 2]) })
    }

    @Test func `items are put together from others to a depth`() throws {
        try CodedFile.expectFits(chain(ISOMediaFrames.deepest), shown: 384, decoded: large)
        for count in [ISOMediaFrames.deepest + 1, 500, 1_400] {
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(chain(count)) }
        }
    }

    @Test func `an item is no part of itself`() {
        let last = ("av01", [small, AV1.av1C()], AV1.sequence(24, 16))
        for (first, second) in [([1, 2], [3]), ([2], [3, 1]), ([2], [2, 3])] {
            let bytes = CodedFile.make(
                [("iovl", [small], []), ("iden", [small], []), last],
                references: [("dimg", 1, first), ("dimg", 2, second)])
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(bytes) }
        }
        // The alpha plane of its own part.
        let bytes = CodedFile.make(
            [last, ("iden", [small, Sample.alphaProperty], []), last],
            references: [("auxl", 2, [1, 3]), ("dimg", 2, [3])])
        #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(bytes) }
    }

    @Test func `items that are told from the last are as deep`() {
        let part = ("iden", [small], [UInt8]())
        let last = ("av01", [small, AV1.av1C()], AV1.sequence(24, 16))
        var references: [(type: String, from: Int, to: [Int])] = [("dimg", 1, (2...30).reversed())]
        for item in 2..<30 { references.append(("dimg", item, [item + 1])) }
        let bytes = CodedFile.make(Array(repeating: part, count: 29) + [last], references: references)
        #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(bytes) }
    }

    @Test func `parts count as often as they are decoded`() throws {
        let tile = ("av01", [small, AV1.av1C()], AV1.sequence(24, 16))
        let canvas = [UInt8](repeating: 0, count: 10) + Sample.big(24, 2) + Sample.big(16, 2)
        let overlay = ("iovl", [small], canvas)
        func layered(_ layers: Int) -> [UInt8] {
            CodedFile.make(
                [overlay, tile], references: [("dimg", 1, Array(repeating: 2, count: layers))])
        }
        try CodedFile.expectFits(layered(2), shown: 384, decoded: 384)
        #expect(try ImageHeader.parse(layered(30_000)).decodedPixels > 400_000_000)
        // Overlays of overlays.
        let nested = CodedFile.make(
            Array(repeating: overlay, count: 7) + [tile],
            references: (1...7).map { ("dimg", $0, Array(repeating: $0 + 1, count: 8)) })
        #expect(try ImageHeader.parse(nested).decodedPixels > 1 << 30)
    }

    @Test func `the alpha planes of parts count as often, and are added up once`() throws {
        let tile = ("av01", [small, AV1.av1C()], AV1.sequence(24, 16))
        let alpha = ("av01", [small, AV1.av1C(), Sample.alphaProperty], AV1.sequence(4_000, 3_900))
        let canvas = [UInt8](repeating: 0, count: 10) + Sample.big(24, 2) + Sample.big(16, 2)
        for (layers, planes) in [(30, 1), (1 << 15, 1 << 15)] {
            let bytes = CodedFile.make(
                [("iovl", [small], canvas), tile, alpha],
                references: [
                    ("dimg", 1, Array(repeating: 2, count: layers)),
                    ("auxl", 3, Array(repeating: 2, count: planes)),
                ])
            #expect(try ImageHeader.parse(bytes).decodedPixels > 10 * large)
        }
    }

    @Test func `two layers as large as their canvas cost no more than it`() throws {
        let layer = ("av01", [Sample.ispe(4_000, 3_900), AV1.av1C()], AV1.sequence(4_000, 3_900))
        let canvas = [UInt8](repeating: 0, count: 10) + Sample.big(4_000, 2) + Sample.big(3_900, 2)
        func layered(_ layers: Int) -> [UInt8] {
            CodedFile.make(
                [("iovl", [Sample.ispe(4_000, 3_900)], canvas), layer],
                references: [("dimg", 1, Array(repeating: 2, count: layers))])
        }
        try CodedFile.expectFits(layered(2), shown: large, decoded: large)
        try CodedFile.expectFits(layered(20), shown: large, decoded: 10 * large)
    }

    @Test func `an item is turned a few times`() throws {
        func turned(_ count: Int) -> [UInt8] {
            let turns = Array(repeating: Sample.box("irot", [1]), count: count)
            return CodedFile.make([("av01", [small, AV1.av1C()] + turns, AV1.sequence(24, 16))])
        }
        try CodedFile.expectFits(turned(ISOMediaFrames.mostTurns), shown: 384, decoded: 384)
        #expect(throws: ImageHeaderError.damaged) {
            try ImageHeader.parse(turned(ISOMediaFrames.mostTurns + 1))
        }
    }

    @Test func `the lists are read once, however many tiles there are`() throws {
        func grid(_ count: Int) -> [UInt8] {
            let tile = ("av01", [small, AV1.av1C()], AV1.sequence(24, 16))
            let last = ("av01", [small, AV1.av1C()], AV1.sequence(4_000, 3_900))
            let canvas: [UInt8] = [0, 0, 0, 0] + Sample.big(24, 2) + Sample.big(16, 2)
            return CodedFile.make(
                [("grid", [small], canvas)] + Array(repeating: tile, count: count - 1) + [last],
                references: [("dimg", 1, Array(2...count + 1))])
        }
        try CodedFile.expectFits(grid(120), shown: 384, decoded: large)
        try CodedFile.expectFits(grid(250), shown: 384, decoded: large)
        // The whole file is in one block.
        let bytes = grid(120)
        try #require(bytes.count < 16_384)
        var reader = HeaderReader(HeaderBytes(bytes), budget: 16_384 + 4 * bytes.count)
        #expect(throws: Never.self) { try ImageHeader.parse(&reader) }
    }

    @Test func `references are not without number`() {
        let item = ("av01", [small, AV1.av1C()], AV1.sequence(24, 16))
        let many = Array(repeating: 2, count: 1 << 15)
        for (count, isRead) in [(2, true), (3, false)] {
            let bytes = CodedFile.make(
                [item, item], references: Array(repeating: ("dimg", 1, many), count: count))
            #expect(((try? ImageHeader.parse(bytes)) != nil) == isRead)
        }
        // References to nothing are limited too, because an alpha plane could hide behind them.
        let alpha = ("av01", [small, AV1.av1C(), Sample.alphaProperty], AV1.sequence(4_000, 3_900))
        let hiding = CodedFile.make(
            [item, alpha], references: [("auxl", 2, [1]), ("auxl", 9, many), ("auxl", 9, many)])
        #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(hiding) }
    }

    @Test func `what is cut off is decoded, unless it is an edge`() throws {
        func crop(_ width: Int, _ height: Int, of size: Int) -> [UInt8] {
            let numbers = [width, 1, height, 1, 0, 1, 0, 1].flatMap { Sample.big($0, 4) }
            return CodedFile.make([
                (
                    "av01", [Sample.ispe(size, size), Sample.box("clap", numbers), AV1.av1C()],
                    AV1.sequence(size, size)
                )
            ])
        }
        try CodedFile.expectFits(crop(40, 30, of: 4_000), shown: 1_200, decoded: 16_000_000)
        try CodedFile.expectFits(crop(3_700, 3_900, of: 4_000), shown: 3_700 * 3_900, decoded: 3_700 * 3_900)
        try CodedFile.expectFits(crop(40, 30, of: 256), shown: 1_200, decoded: 1_200)
        // A coded size is a multiple of the block size, and a small picture may be in one tile of 512.
        let edges = CodedFile.make([("hvc1", [Sample.ispe(1_001, 701), HEVC.hvcC(1_064, 760)], [])])
        try CodedFile.expectFits(edges, shown: 1_001 * 701, decoded: 1_001 * 701)
    }

    @Test func `the format is that of the coding, whatever the brand is`() throws {
        let alpha = Sample.alphaProperty
        let (av1, hevc) = ([small, AV1.av1C()], [small, HEVC.hvcC(24, 16)])
        let sequence = AV1.sequence(24, 16)
        func header(_ bytes: [UInt8]) throws -> ImageHeader { try ImageHeader.parse(bytes) }
        #expect(try header(CodedFile.make([("av01", av1, sequence)])).format == .avif)
        let branded = try header(CodedFile.make([("hvc1", hevc, [])]))
        #expect(branded.format == .heic && branded.isDecodable)
        #expect(try header(CodedFile.make([("hvc1", av1 + hevc, [])])).format == .heic)
        let grid: [UInt8] = [0, 0, 0, 0] + Sample.big(24, 2) + Sample.big(16, 2)
        let tiles = CodedFile.make(
            [("grid", [small], grid), ("hvc1", hevc, [])], references: [("dimg", 1, [2])])
        #expect(try header(tiles).format == .heic)
        let mixed = CodedFile.make(
            [("av01", av1, sequence), ("hvc1", hevc + [alpha], [])], references: [("auxl", 2, [1])])
        #expect(try !header(mixed).isDecodable)
        let apart = CodedFile.make([("av01", av1, sequence), ("hvc1", hevc, [])])
        #expect(try header(apart).format == .avif && header(apart).isDecodable)
    }

    @Test func `properties of another coding and of an item of parts hide nothing`() throws {
        let av1 = AV1.av1C(AV1.sequence(24, 16))
        try CodedFile.expectFits(
            CodedFile.make([("hvc1", [small, av1, HEVC.hvcC(4_000, 3_900)], [])]), shown: 384, decoded: large)
        let tile = ("av01", [small, AV1.av1C()], AV1.sequence(4_000, 3_900))
        let parts = CodedFile.make(
            [("iden", [small, av1], AV1.sequence(24, 16)), tile], references: [("dimg", 1, [2])])
        try CodedFile.expectFits(parts, shown: 384, decoded: large)
    }

    @Test func `an overlay's canvas is made whole`() throws {
        let tile = ("av01", [small, AV1.av1C()], AV1.sequence(24, 16))
        let colour: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        let near: [UInt8] = [0, 0] + colour + Sample.big(24, 2) + Sample.big(16, 2) + [0, 0, 0, 0]
        let wide: [UInt8] =
            [0, 1] + colour + Sample.big(4_000, 4) + Sample.big(3_900, 4) + [0, 0, 0, 0, 0, 0, 0, 0]
        for (canvas, decoded) in [(near, 384), (wide, large)] {
            let bytes = CodedFile.make([("iovl", [small], canvas), tile], references: [("dimg", 1, [2])])
            try CodedFile.expectFits(bytes, shown: 384, decoded: decoded)
        }
    }

    @Test func `a file with two lists of items is damaged`() throws {
        let one = CodedFile.make([("av01", [small, AV1.av1C()], AV1.sequence(24, 16))], inside: true)
        let other = CodedFile.make([("av01", [small, AV1.av1C()], AV1.sequence(4_000, 3_900))], inside: true)
        // Behind ftyp, which has 20 bytes.
        for more in [Array(other.dropFirst(20)), Sample.box("mini", [0, 0, 0])] {
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(one + more) }
        }
        #expect(throws: Never.self) { try ImageHeader.parse(one + Sample.box("free", [])) }
        #expect(throws: Never.self) { try ImageHeader.parse(one + [0, 0, 1]) }
    }

    @Test func `the pixels keep their step in the traits`() {
        var header = ImageHeader(format: .avif, width: 24, height: 16)
        #expect(header.decodedPixels == 384)
        for pixels in [200_000, 3_000_000, 100_000_000, 1 << 40] {
            header.needs(pixels: pixels)
            var other = ImageHeader(format: .avif, width: 24, height: 16)
            other.traits = header.traits
            #expect(other == header && other.decodedPixels >= pixels)
            #expect(pixels > 1 << 34 || other.decodedPixels <= pixels * 113 / 100)
        }
        #expect(header.decodedPixels == .max)
    }

    @Test func `whatever is cut or spoilt has some answer`() {
        var random = SeededRandom(for: "spoilt coded frames")
        let wholes = [
            CodedFile.make([("hvc1", [small, HEVC.hvcC(4_000, 3_900, layers: 3)], [])]),
            CodedFile.make(
                [("av01", [small, AV1.av1C()], AV1.sequence(400, 300, .evenlyTimed))], inside: true),
        ]
        for whole in wholes {
            for _ in 0..<2_000 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    bytes[Int.random(in: 24..<bytes.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                _ = try? ImageHeader.parse(
                    Array(bytes.prefix(Int.random(in: 24...bytes.count, using: &random))))
            }
        }
    }
}
