// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

private typealias Sample = SampleHeaders

@Suite("A frame is found wherever a decoder comes to it")
struct HiddenFrameTests {
    private let small = Sample.ispe(24, 16)
    private let large = 4_000 * 3_900
    private let truth = AV1.sequence(24, 16)
    private let sequence = AV1.sequence(4_000, 3_900)

    private func expectLarge(
        _ bytes: [UInt8], _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try CodedFile.expectFits(
            bytes, shown: 384, decoded: large, comment, sourceLocation: sourceLocation)
    }

    private func avif(_ bytes: [UInt8], inside: Bool = false, parts: Int = 1) -> [UInt8] {
        CodedFile.make([("av01", [small, AV1.av1C()], bytes)], inside: inside, parts: parts)
    }

    // MARK: Parts

    @Test func `an item in several parts is read as one`() throws {
        for inside in [false, true] {
            for parts in [1, 2, 5, AV1.delimiter.count + sequence.count] {
                try expectLarge(
                    avif(AV1.delimiter + sequence, inside: inside, parts: parts), "\(inside), \(parts)")
                let honest = avif(AV1.delimiter + truth, inside: inside, parts: parts)
                try CodedFile.expectFits(honest, shown: 384, decoded: 384)
            }
            let canvas: [UInt8] = [0, 1, 0, 0] + Sample.big(4_000, 4) + Sample.big(3_900, 4)
            try expectLarge(
                CodedFile.make(
                    [("grid", [small], canvas), ("av01", [small, AV1.av1C()], truth)],
                    references: [("dimg", 1, [2])], inside: inside, parts: 6))
        }
    }

    @Test func `a part of no bytes is none among others`() throws {
        for parts in [1, 3] {
            try expectLarge(
                CodedFile.make(
                    [("av01", [small, AV1.av1C()], AV1.delimiter + sequence)], parts: parts,
                    hasEmptyPart: true))
        }
    }

    @Test func `no picture is in more parts than a decoder takes`() throws {
        let units = AV1.unit(15, [UInt8](repeating: 0, count: 40)) + sequence
        try expectLarge(avif(units, parts: ItemLocations.mostParts))
        #expect(throws: ImageHeaderError.damaged) {
            try ImageHeader.parse(avif(units, parts: ItemLocations.mostParts + 1))
        }
    }

    @Test func `joined parts are what each of them is, one behind the other`() {
        let source = HeaderBytes(Array(0..<100))
        let parts = JoinedParts(source, [90..<93, 10..<10, 3..<5, 50..<51, 91..<92])
        let whole: [UInt8] = [90, 91, 92, 3, 4, 50, 91]
        #expect(parts.length == whole.count)
        for start in 0...whole.count {
            for count in 0...whole.count + 1 {
                #expect(parts.read(at: start, count: count) == Array(whole.dropFirst(start).prefix(count)))
            }
        }
        // A source may have fewer bytes than it declares.
        #expect(JoinedParts(source, [98..<102, 1..<2]).read(at: 0, count: 9) == [98, 99])
    }

    @Test func `what is read of parts is counted`() {
        var reader = HeaderReader(HeaderBytes([UInt8](repeating: 7, count: 100)), budget: 40_000)
        for _ in 0..<3 where !reader.isExhausted {
            _ = try? reader.reading([0..<10, 20..<30]) { (joined) throws(ImageHeaderError) in
                try joined.byte(at: 15)
            }
        }
        #expect(reader.isExhausted)
    }

    // MARK: AV1

    @Test func `units that mean nothing hide no sequence header, however many there are`() throws {
        for count in [1, 255, 256, 5_000] {
            let padding = Array(repeating: AV1.unit(15, []), count: count).flatMap { $0 }
            try expectLarge(avif(truth + padding + sequence), "\(count)")
        }
    }

    @Test func `a unit's size may be longer than it need be`() throws {
        for zeros in 1...7 {
            let padded: [UInt8] = [2 << 3 | 2] + Array(repeating: 0x80, count: zeros) + [0]
            try expectLarge(avif(padded + sequence), "\(zeros)")
        }
    }

    @Test func `what is damaged behind the size does not hide it`() throws {
        let endless: [UInt8] = [6 << 3 | 2] + Array(repeating: 0xFF, count: 9)
        try expectLarge(avif(sequence + endless))
        // The colours are cut off: the sides end in the seventh of 8 bytes.
        let cut = AV1.unit(1, Array(sequence.dropFirst(2).prefix(7)))
        try expectLarge(avif(cut))
    }

    @Test func `a frame may have a size of its own, which is as large as its bits allow`() throws {
        for form in [AV1.Form.moving, .timed, .evenlyTimed] {
            let sequence = AV1.sequence(24, 16, form)
            let (own, usual) = (AV1.frame(form, hasOwnSize: true), AV1.frame(form, hasOwnSize: false))
            func decoded(_ frame: [UInt8]) throws -> [Int] {
                let inside = ("av01", [small, AV1.av1C()], sequence + frame)
                let outside = ("av01", [small, AV1.av1C(sequence)], frame)
                return try [inside, outside].map {
                    try ImageHeader.parse(CodedFile.make([$0])).decodedPixels
                }
            }
            #expect(try decoded(usual) == [384, 384], "\(form)")
            #expect(try decoded(usual + own).allSatisfy { $0 >= 1 << 32 }, "\(form)")
            // A truncated frame header counts as unknown.
            #expect(try decoded(AV1.unit(3, [])).allSatisfy { $0 >= 1 << 32 }, "\(form)")
        }
        // A still picture of the shortest form has no frame size of its own.
        #expect(try ImageHeader.parse(avif(truth + AV1.unit(6, [0x1F, 0xFF]))).decodedPixels == 384)
    }

    // MARK: HEVC

    private func unit(_ bytes: [UInt8]) -> [UInt8] { Sample.big(bytes.count, 4) + bytes }

    @Test func `a parameter set among the item's bytes counts`() throws {
        let slice: [UInt8] = [0x26, 1, 1, 2, 3]
        let set = unit(HEVC.set(4_000, 3_900))
        func heic(_ bytes: [UInt8], parts: Int = 1) -> [UInt8] {
            CodedFile.make([("hvc1", [small, HEVC.hvcC(24, 16)], bytes)], parts: parts)
        }
        try CodedFile.expectFits(heic(unit(slice)), shown: 384, decoded: 384)
        try expectLarge(heic(set + unit(slice)))
        try expectLarge(heic(unit([]) + unit([0x40, 1, 7]) + set))
        try expectLarge(heic(set, parts: 4))
        // The first set is damaged, and a decoder skips it.
        try expectLarge(heic(unit([0x42, 1, 0xFF]) + set))
    }

    @Test func `a parameter set is one whatever its array is called, and behind a damaged one`() throws {
        let set = HEVC.set(4_000, 3_900)
        func heic(_ units: [(bytes: [UInt8], type: UInt8)]) -> [UInt8] {
            CodedFile.make([("hvc1", [small, HEVC.hvcC(units)], [])])
        }
        try expectLarge(heic([(set, 32)]))
        try expectLarge(heic([([0x42, 1, 0xFF], 33), (set, 33)]))
        try expectLarge(heic([(HEVC.set(24, 16), 33), (set, 39)]))
    }

    // MARK: Frames

    @Test func `frames beyond those of a picture count, of which none is seen`() throws {
        let (sequence, ispe) = (AV1.sequence(1_000, 1_000), Sample.ispe(1_000, 1_000))
        let slices = unit([0x26, 1, 0x80, 2]) + unit([0x26, 1, 0, 2])
        for (count, times) in [(1, 1), (4, 1), (7, 1), (8, 2), (400, 100)] {
            let frames = Array(repeating: AV1.unit(6, [1, 2, 3]), count: count).flatMap { $0 }
            let pictures = Array(repeating: slices, count: count).flatMap { $0 }
            let inside = ("av01", [ispe, AV1.av1C()], sequence + frames)
            let outside = ("av01", [ispe, AV1.av1C(sequence)], frames)
            let hevc = ("hvc1", [ispe, HEVC.hvcC(1_000, 1_000)], pictures)
            for item in [inside, outside, hevc] {
                try CodedFile.expectFits(
                    CodedFile.make([item]), shown: 1_000_000, decoded: times * 1_000_000,
                    "\(item.0), \(count)")
            }
        }
    }

    // MARK: Alpha

    private func auxiliary(_ name: String) -> [UInt8] {
        Sample.box("auxC", [0, 0, 0, 0] + Array(name.utf8))
    }

    @Test func `alpha has three names, and needs no zero behind them`() throws {
        for name in [
            "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
            "urn:mpeg:avc:2015:auxid:1",
        ] {
            for end in ["\0", "", "x"] {
                let alpha = ("av01", [small, AV1.av1C(), auxiliary(name + end)], sequence)
                let file = CodedFile.make(
                    [("av01", [small, AV1.av1C()], truth), alpha], references: [("auxl", 2, [1])])
                try expectLarge(file, "\(name)")
                #expect(try ImageHeader.parse(file).hasAlpha)
            }
        }
    }

    @Test func `a tile, a thumbnail and an alpha plane may have alpha`() throws {
        let picture = ("av01", [small, AV1.av1C()], truth)
        let alpha = ("av01", [small, AV1.av1C(), Sample.alphaProperty], truth)
        let lying = ("av01", [small, AV1.av1C(), Sample.alphaProperty], sequence)
        let canvas: [UInt8] = [0, 0, 0, 0] + Sample.big(24, 2) + Sample.big(16, 2)
        try expectLarge(
            CodedFile.make(
                [("grid", [small], canvas), picture, lying],
                references: [("dimg", 1, [2]), ("auxl", 3, [2])]))
        try expectLarge(
            CodedFile.make([picture, picture, lying], references: [("thmb", 2, [1]), ("auxl", 3, [2])]))
        // In an order that a single pass would not resolve.
        try expectLarge(
            CodedFile.make([picture, alpha, lying], references: [("auxl", 3, [2]), ("auxl", 2, [1])]))
        // The alpha of an item that is not decoded.
        try CodedFile.expectFits(
            CodedFile.make([picture, picture, lying], references: [("auxl", 3, [2])]), shown: 384,
            decoded: 384)
    }

    @Test func `alpha of alpha has an end`() throws {
        let picture = ("av01", [small, AV1.av1C()], truth)
        let alpha = ("av01", [small, AV1.av1C(), Sample.alphaProperty], truth)
        func chain(_ count: Int) -> [UInt8] {
            CodedFile.make(
                [picture] + Array(repeating: alpha, count: count),
                references: (1...count).map { ("auxl", $0 + 1, [$0]) })
        }
        try CodedFile.expectFits(chain(ISOMediaFrames.deepest), shown: 384, decoded: 384)
        for count in [ISOMediaFrames.deepest + 1, 200] {
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(chain(count)) }
        }
        // An alpha that refers to itself is examined once.
        let ring = CodedFile.make(
            [picture, alpha, alpha], references: [("auxl", 2, [1, 3]), ("auxl", 3, [2, 3])])
        try CodedFile.expectFits(ring, shown: 384, decoded: 384)
    }

    // MARK: Other codings

    @Test func `codings that nobody measures are not read, but for a thumbnail`() throws {
        let picture = ("av01", [small, AV1.av1C()], truth)
        for coding in ["jpeg", "mime", "j2k1", "avc1", "vvc1", "unci", "mski", "new1"] {
            let other = (coding, [small], [UInt8](repeating: 1, count: 9))
            let alpha = (coding, [small, Sample.alphaProperty], [UInt8](repeating: 1, count: 9))
            #expect(try !ImageHeader.parse(CodedFile.make([other])).isDecodable, "\(coding)")
            let hidden = CodedFile.make([picture, alpha], references: [("auxl", 2, [1])])
            #expect(try !ImageHeader.parse(hidden).isDecodable, "\(coding)")
            let shown = CodedFile.make([picture, other], references: [("thmb", 2, [1])])
            #expect(try ImageHeader.parse(shown).isDecodable, "\(coding)")
            #expect(!ISOMediaThumbnail.isMeasured(HeaderBytes(shown)), "\(coding)")
            let tiled = CodedFile.make(
                [picture, ("grid", [small], []), other], references: [("thmb", 2, [1]), ("dimg", 2, [3])])
            #expect(!ISOMediaThumbnail.isMeasured(HeaderBytes(tiled)), "\(coding)")
        }
        let usual = CodedFile.make([picture, picture], references: [("thmb", 2, [1])])
        #expect(ISOMediaThumbnail.isMeasured(HeaderBytes(usual)))
        #expect(!ISOMediaThumbnail.isMeasured(HeaderBytes(Array(usual.prefix(60)))))
    }
}
