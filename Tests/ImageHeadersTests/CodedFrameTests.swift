// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

private typealias Sample = SampleHeaders

/// The digits 0 and 1 as bytes, the last one filled up.
private func bytes(_ digits: String) -> [UInt8] {
    let padded = Array(digits + String(repeating: "0", count: (8 - digits.count % 8) % 8))
    return stride(from: 0, to: padded.count, by: 8).map { UInt8(String(padded[$0..<$0 + 8]), radix: 2) ?? 0 }
}

private func digits(_ value: Int, _ count: Int) -> String {
    let short = String(value, radix: 2)
    return String(repeating: "0", count: max(0, count - short.count)) + short
}

/// `ue(v)` and `uvlc()`.
private func golomb(_ value: Int) -> String {
    let code = String(value + 1, radix: 2)
    return String(repeating: "0", count: code.count - 1) + code
}

/// AV1 §5.5; sequence headers of 16 bits for each side.
private enum AV1 {
    enum Form: CaseIterable { case still, moving, timed, evenlyTimed }

    static func sequence(_ width: Int, _ height: Int, _ form: Form = .still) -> [UInt8] {
        let start: String
        switch form {
        case .still: start = "000" + "1" + "1" + "00000"
        case .moving: start = "000" + "0" + "0" + "0" + "0" + "00000" + digits(0, 12) + "00100"
        // Each with a model of the decoder: its delays have 8 bits.
        case .timed, .evenlyTimed:
            let ticks = form == .timed ? "0" : "1" + golomb(5)
            let model = "1" + "00111" + digits(1, 32) + "00000" + "00000"
            let point = digits(0, 12) + "01001" + "1" + "1" + digits(3, 8) + digits(3, 8) + "1" + "1" + "0000"
            start =
                "000" + "0" + "0" + "1" + digits(1, 32) + digits(2, 32) + ticks + model + "1" + "00000"
                + point
        }
        let sides = "1111" + "1111" + digits(width - 1, 16) + digits(height - 1, 16)
        let numbers = form == .still ? "" : "1" + "0000" + "000"
        let tools = form == .still ? "" : "0000" + "1" + "00" + "1" + "1" + "111"
        return unit(
            1, bytes(start + sides + numbers + "000" + tools + "000" + "0" + "0" + "0" + "1" + "0000"))
    }

    static func unit(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
        [type << 3 | 2, UInt8(content.count)] + content
    }

    static let delimiter = unit(2, [])

    static func av1C(_ units: [UInt8] = []) -> [UInt8] { Sample.box("av1C", [0x81, 0, 0x0C, 0] + units) }
}

/// H.265 §7.3.2.2.
private enum HEVC {
    static func hvcC(_ width: Int, _ height: Int, layers: Int = 0, chroma: Int = 1) -> [UInt8] {
        var told = "0000" + digits(layers, 3) + "1" + digits(0, 96)
        if layers > 0 {
            told += String(repeating: "11", count: layers) + digits(0, 2 * (8 - layers))
            told += digits(0, 96 * layers)
        }
        told += golomb(0) + golomb(chroma) + (chroma == 3 ? "0" : "") + golomb(width) + golomb(height)
        let unit = [0x42, 1] + escaped(bytes(told + "1"))
        let other: [UInt8] = [32, 0, 1, 0, 3, 0x40, 1, 7]
        return Sample.box(
            "hvcC",
            [UInt8](repeating: 0xFC, count: 17) + [0xF8, 0xF8, 0, 0, 3, 2] + other + [0x80 | 33, 0, 1]
                + Sample.big(unit.count, 2) + unit)
    }

    private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
        var (out, zeros) = ([UInt8](), 0)
        for byte in bytes {
            if zeros >= 2, byte <= 3 { (out, zeros) = (out + [3], 0) }
            out.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return out
    }
}

/// A file of items, each with its type, its properties and its bytes; the first one is primary.
private func file(
    _ items: [(type: String, properties: [[UInt8]], bytes: [UInt8])],
    references: [(type: String, from: Int, to: [Int])] = [], inside: Bool = false
) -> [UInt8] {
    var (properties, ipma, infe) = ([[UInt8]](), Sample.big(items.count, 4), [UInt8]())
    for (index, item) in items.enumerated() {
        ipma += Sample.big(index + 1, 2) + [UInt8(item.properties.count)]
        for property in item.properties {
            if !properties.contains(property) { properties.append(property) }
            ipma.append(UInt8((properties.firstIndex(of: property) ?? 0) + 1))
        }
        infe += Sample.box(
            "infe", [2, 0, 0, 0] + Sample.big(index + 1, 2) + [0, 0] + Array(item.type.utf8) + [0])
    }
    let iprp = Sample.box(
        "iprp", Sample.box("ipco", properties.flatMap { $0 }) + Sample.box("ipma", [0, 0, 0, 0] + ipma))
    let iref = Sample.box(
        "iref",
        [0, 0, 0, 0]
            + references.flatMap { reference in
                Sample.box(
                    reference.type,
                    Sample.big(reference.from, 2) + Sample.big(reference.to.count, 2)
                        + reference.to.flatMap { Sample.big($0, 2) })
            })
    let data = items.flatMap(\.bytes)
    func whole(_ start: Int) -> [UInt8] {
        var (iloc, place) = ([1, 0, 0, 0, 0x44, 0] + Sample.big(items.count, 2), start)
        for (index, item) in items.enumerated() {
            iloc += Sample.big(index + 1, 2) + [0, inside ? 1 : 0, 0, 0, 0, 1]
            iloc += Sample.big(place, 4) + Sample.big(item.bytes.count, 4)
            place += item.bytes.count
        }
        let meta =
            Sample.box("pitm", [0, 0, 0, 0, 0, 1])
            + Sample.box("iinf", [0, 0, 0, 0] + Sample.big(items.count, 2) + infe)
            + iprp + iref + Sample.box("iloc", iloc) + (inside ? Sample.box("idat", data) : [])
        return Sample.box("ftyp", Array("avif".utf8) + [0, 0, 0, 0] + Array("mif1".utf8))
            + Sample.box("meta", [0, 0, 0, 0] + meta) + (inside ? [] : Sample.box("mdat", data))
    }
    return inside ? whole(0) : whole(whole(0).count - data.count)
}

/// The least step that holds the pixels, or none for those that are shown.
private func expectFits(
    _ bytes: [UInt8], shown: Int, decoded: Int, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let header = try ImageHeader.parse(bytes)
    #expect(header.width * header.height == shown, comment, sourceLocation: sourceLocation)
    #expect(header.decodedPixels >= decoded, comment, sourceLocation: sourceLocation)
    #expect(header.decodedPixels <= 16 * decoded, comment, sourceLocation: sourceLocation)
    if decoded == shown { #expect(header.decodedPixels == shown, comment, sourceLocation: sourceLocation) }
}

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
                    file([("av01", [small, AV1.av1C(configuration)], bytes)], inside: inside)
                }
                let comment: Comment = "\(form), \(inside)"
                try expectFits(avif([], truth), shown: 384, decoded: 384, comment)
                try expectFits(avif([], units), shown: 384, decoded: large, comment)
                try expectFits(avif(sequence, []), shown: 384, decoded: large, comment)
                // The last one is that which a decoder goes by.
                try expectFits(avif(truth, units), shown: 384, decoded: large, comment)
                try expectFits(avif([], truth + units), shown: 384, decoded: large, comment)
                try expectFits(avif([7], units), shown: 384, decoded: large, comment)
            }
        }
    }

    @Test func `of HEVC they are told by the parameter set`() throws {
        for (layers, chroma) in [(0, 1), (1, 1), (6, 3), (0, 3)] {
            func heic(_ width: Int, _ height: Int) -> [UInt8] {
                file([("hvc1", [small, HEVC.hvcC(width, height, layers: layers, chroma: chroma)], [])])
            }
            try expectFits(heic(24, 16), shown: 384, decoded: 384)
            try expectFits(heic(4_000, 3_900), shown: 384, decoded: large)
        }
    }

    @Test func `tiles, alpha and thumbnail are looked at, and what is not decoded is not`() throws {
        let honest = ("av01", [Sample.ispe(1_000, 800), AV1.av1C()], AV1.sequence(1_000, 800))
        let lying = ("av01", [small, AV1.av1C()], AV1.sequence(4_000, 3_900))
        let alpha = ("av01", [small, AV1.av1C(), Sample.alphaProperty], AV1.sequence(4_000, 3_900))
        let map = Sample.box("auxC", [0, 0, 0, 0] + Array("urn:com:photo:aux:hdrgainmap\0".utf8))
        let gain = ("av01", [small, AV1.av1C(), map], AV1.sequence(4_000, 3_900))
        let all = 1_000 * 800
        try expectFits(file([honest]), shown: all, decoded: all)
        try expectFits(file([honest, lying]), shown: all, decoded: all)
        for (other, type, decoded) in [
            (alpha, "auxl", large), (lying, "thmb", large), (gain, "auxl", all), (lying, "cdsc", all),
        ] {
            let bytes = file([honest, other], references: [(type, 2, [1])])
            try expectFits(bytes, shown: all, decoded: decoded, "\(type)")
        }
        let grid: [UInt8] = [0, 0, 0, 0] + Sample.big(1_000, 2) + Sample.big(800, 2)
        let wide: [UInt8] = [0, 1, 0, 0] + Sample.big(4_000, 4) + Sample.big(3_900, 4)
        let whole = [Sample.ispe(1_000, 800)]
        for inside in [false, true] {
            for (canvas, tile, decoded) in [(grid, honest, all), (grid, lying, large), (wide, honest, large)]
            {
                let bytes = file(
                    [("grid", whole, canvas), tile, honest], references: [("dimg", 1, [3, 2])], inside: inside
                )
                try expectFits(bytes, shown: all, decoded: decoded)
            }
        }
        // Tiles of tiles, and a tile of itself.
        try expectFits(
            file(
                [("grid", whole, grid), ("iden", whole, []), lying],
                references: [("dimg", 1, [1, 2]), ("dimg", 2, [3, 1])]),
            shown: all, decoded: large)
    }

    /// Items each of which is put together from the next.
    private func chain(_ count: Int) -> [UInt8] {
        let part = (type: "iden", properties: [small], bytes: [UInt8]())
        let last = ("av01", [small, AV1.av1C()], AV1.sequence(4_000, 3_900))
        return file(
            Array(repeating: part, count: count) + [last],
            references: (0..<count).map { ("dimg", $0 + 1, [$0 + 2]) })
    }

    @Test func `items are put together from others to a depth`() throws {
        try expectFits(chain(ISOMediaFrames.deepest), shown: 384, decoded: large)
        for count in [ISOMediaFrames.deepest + 1, 500, 1_400] {
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(chain(count)) }
        }
    }

    @Test func `the lists are read once, however many tiles there are`() throws {
        func grid(_ count: Int) -> [UInt8] {
            let tile = ("av01", [small, AV1.av1C()], AV1.sequence(24, 16))
            let last = ("av01", [small, AV1.av1C()], AV1.sequence(4_000, 3_900))
            let canvas: [UInt8] = [0, 0, 0, 0] + Sample.big(24, 2) + Sample.big(16, 2)
            return file(
                [("grid", [small], canvas)] + Array(repeating: tile, count: count - 1) + [last],
                references: [("dimg", 1, Array(2...count + 1))])
        }
        try expectFits(grid(120), shown: 384, decoded: large)
        try expectFits(grid(250), shown: 384, decoded: large)
        // All of it is in one block.
        let bytes = grid(120)
        try #require(bytes.count < 16_384)
        var reader = HeaderReader(HeaderBytes(bytes), budget: 16_384 + 4 * bytes.count)
        #expect(throws: Never.self) { try ImageHeader.parse(&reader) }
    }

    @Test func `references are not without number`() {
        let item = ("av01", [small, AV1.av1C()], AV1.sequence(24, 16))
        let many = Array(repeating: 2, count: 1 << 15)
        for (count, isRead) in [(2, true), (3, false)] {
            let bytes = file(
                [item, item], references: Array(repeating: ("dimg", 1, many), count: count))
            #expect(((try? ImageHeader.parse(bytes)) != nil) == isRead)
        }
        // Nor are those that lead to nothing, behind which an alpha plane could hide.
        let alpha = ("av01", [small, AV1.av1C(), Sample.alphaProperty], AV1.sequence(4_000, 3_900))
        let hiding = file(
            [item, alpha], references: [("auxl", 2, [1]), ("auxl", 9, many), ("auxl", 9, many)])
        #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(hiding) }
    }

    @Test func `what is cut off is decoded, unless it is an edge`() throws {
        func crop(_ width: Int, _ height: Int, of size: Int) -> [UInt8] {
            let numbers = [width, 1, height, 1, 0, 1, 0, 1].flatMap { Sample.big($0, 4) }
            return file([
                (
                    "av01", [Sample.ispe(size, size), Sample.box("clap", numbers), AV1.av1C()],
                    AV1.sequence(size, size)
                )
            ])
        }
        try expectFits(crop(40, 30, of: 4_000), shown: 1_200, decoded: 16_000_000)
        try expectFits(crop(3_700, 3_900, of: 4_000), shown: 3_700 * 3_900, decoded: 3_700 * 3_900)
        try expectFits(crop(40, 30, of: 256), shown: 1_200, decoded: 1_200)
        // A coded size is a multiple of the blocks, and a small picture may lie in one tile of 512.
        let edges = file([("hvc1", [Sample.ispe(1_001, 701), HEVC.hvcC(1_064, 760)], [])])
        try expectFits(edges, shown: 1_001 * 701, decoded: 1_001 * 701)
    }

    @Test func `the format is that of the coding, whatever the brand is`() throws {
        let alpha = Sample.alphaProperty
        let (av1, hevc) = ([small, AV1.av1C()], [small, HEVC.hvcC(24, 16)])
        let sequence = AV1.sequence(24, 16)
        func header(_ bytes: [UInt8]) throws -> ImageHeader { try ImageHeader.parse(bytes) }
        #expect(try header(file([("av01", av1, sequence)])).format == .avif)
        let branded = try header(file([("hvc1", hevc, [])]))
        #expect(branded.format == .heic && branded.isDecodable)
        #expect(try header(file([("hvc1", av1 + hevc, [])])).format == .heic)
        let grid: [UInt8] = [0, 0, 0, 0] + Sample.big(24, 2) + Sample.big(16, 2)
        let tiles = file([("grid", [small], grid), ("hvc1", hevc, [])], references: [("dimg", 1, [2])])
        #expect(try header(tiles).format == .heic)
        let mixed = file(
            [("av01", av1, sequence), ("hvc1", hevc + [alpha], [])], references: [("auxl", 2, [1])])
        #expect(try !header(mixed).isDecodable)
        let apart = file([("av01", av1, sequence), ("hvc1", hevc, [])])
        #expect(try header(apart).format == .avif && header(apart).isDecodable)
    }

    @Test func `properties of another coding and of an item of parts hide nothing`() throws {
        let av1 = AV1.av1C(AV1.sequence(24, 16))
        try expectFits(
            file([("hvc1", [small, av1, HEVC.hvcC(4_000, 3_900)], [])]), shown: 384, decoded: large)
        let tile = ("av01", [small, AV1.av1C()], AV1.sequence(4_000, 3_900))
        let parts = file(
            [("iden", [small, av1], AV1.sequence(24, 16)), tile], references: [("dimg", 1, [2])])
        try expectFits(parts, shown: 384, decoded: large)
    }

    @Test func `an overlay's canvas is made whole`() throws {
        let tile = ("av01", [small, AV1.av1C()], AV1.sequence(24, 16))
        let colour: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        let near: [UInt8] = [0, 0] + colour + Sample.big(24, 2) + Sample.big(16, 2) + [0, 0, 0, 0]
        let wide: [UInt8] =
            [0, 1] + colour + Sample.big(4_000, 4) + Sample.big(3_900, 4) + [0, 0, 0, 0, 0, 0, 0, 0]
        for (canvas, decoded) in [(near, 384), (wide, large)] {
            let bytes = file([("iovl", [small], canvas), tile], references: [("dimg", 1, [2])])
            try expectFits(bytes, shown: 384, decoded: decoded)
        }
    }

    @Test func `a file with two lists of items is damaged`() throws {
        let one = file([("av01", [small, AV1.av1C()], AV1.sequence(24, 16))], inside: true)
        let other = file([("av01", [small, AV1.av1C()], AV1.sequence(4_000, 3_900))], inside: true)
        // Behind ftyp, of 20 bytes.
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
        }
        #expect(header.decodedPixels == .max)
    }

    @Test func `whatever is cut or spoilt has some answer`() {
        var random = SystemRandomNumberGenerator()
        let wholes = [
            file([("hvc1", [small, HEVC.hvcC(4_000, 3_900, layers: 3)], [])]),
            file([("av01", [small, AV1.av1C()], AV1.sequence(400, 300, .evenlyTimed))], inside: true),
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
