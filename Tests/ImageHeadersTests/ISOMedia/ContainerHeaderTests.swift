// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Testing

@Suite struct ISOMediaHeaderTests {
    private typealias Sample = SampleHeaders

    @Test func `size is that of the primary item`() throws {
        #expect(try ImageHeader.parse(Sample.heif()) == ImageHeader(format: .avif, width: 640, height: 480))
    }

    @Test(arguments: [
        ("avif", [], ImageFormat.avif), ("avis", [], .avif), ("heic", [], .heic), ("hevc", [], .heic),
        ("mif1", ["avif"], .avif), ("mif1", ["heic"], .heic), ("mif1", [], .heic), ("heic", ["avif"], .heic),
    ])
    func `the brand tells the format`(brand: String, compatible: [String], format: ImageFormat) throws {
        #expect(try ImageHeader.parse(Sample.heif(brand: brand, compatible: compatible)).format == format)
    }

    @Test func `a video is no picture`() {
        let bytes = Sample.heif(brand: "isom", compatible: ["mp42"])
        #expect(throws: ImageHeaderError.notAnImage) { try ImageHeader.parse(bytes) }
    }

    @Test(arguments: [(UInt8(0), 640, 480), (1, 480, 640), (2, 640, 480), (3, 480, 640)])
    func `turns are applied`(angle: UInt8, width: Int, height: Int) throws {
        let bytes = Sample.heif(properties: [Sample.ispe(640, 480), Sample.box("irot", [angle])])
        #expect(try ImageHeader.parse(bytes) == ImageHeader(format: .avif, width: width, height: height))
    }

    @Test func `crops are applied in their order`() throws {
        let numbers = [300, 1, 400, 2, 0, 1, 0, 1].flatMap { Sample.big($0, 4) }
        let crop = Sample.box("clap", numbers)
        let turn = Sample.box("irot", [1])
        let size = Sample.ispe(640, 480)
        let cropped = try ImageHeader.parse(Sample.heif(properties: [size, crop, turn]))
        #expect(cropped.width == 200 && cropped.height == 300)
        let turned = try ImageHeader.parse(Sample.heif(properties: [size, turn, crop]))
        #expect(turned.width == 300 && turned.height == 200)
    }

    @Test func `samples of more than 8 bits are told by the coding`() throws {
        func isDeep(_ properties: [UInt8]...) throws -> Bool {
            try ImageHeader.parse(Sample.heif(properties: [Sample.ispe(640, 480)] + properties)).isDeep
        }
        for (flags, expected) in [(UInt8(0x0C), false), (0x4C, true), (0x6C, true), (0x1C, false)] {
            #expect(try isDeep(Sample.box("av1C", [0x81, 0, flags, 0])) == expected)
        }
        for (depth, expected) in [(UInt8(0xF8), false), (0xFA, true), (0xFC, true)] {
            let hvcC = Sample.box("hvcC", [UInt8](repeating: 0xFC, count: 17) + [depth])
            #expect(try isDeep(hvcC) == expected)
        }
        #expect(try !isDeep())
        // Any of the items counts; the second is the alpha's.
        #expect(try isDeep(Sample.box("av1C", [0x81, 0, 0x0C, 0]), Sample.box("av1C", [0x81, 0, 0x4C, 0])))
    }

    @Test func `an alpha plane is told by its property`() throws {
        let bytes = Sample.heif(properties: [Sample.ispe(640, 480), Sample.alphaProperty])
        #expect(try ImageHeader.parse(bytes).hasAlpha)
    }

    @Test func `64-bit sizes and boxes before meta are walked over`() throws {
        let large = Sample.big(1, 4) + Array("free".utf8) + Sample.big(20, 8) + [1, 2, 3, 4]
        #expect(try ImageHeader.parse(Sample.heif(moov: large + Sample.box("moov", [9]))).width == 640)
    }

    /// A size of 0, which only the last box may have.
    @Test func `a last box without a size reaches to the end of what holds it`() throws {
        func unsized(_ type: String, _ content: [UInt8]) -> [UInt8] {
            Sample.big(0, 4) + Array(type.utf8) + content
        }
        let pitm = Sample.box("pitm", [0, 0, 0, 0, 0, 1])
        let ipma: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1]
        let start = Sample.box("ftyp", Array("avif".utf8) + [0, 0, 0, 0])
        for box in [Sample.box, unsized] {
            let properties = Sample.box("ipco", Sample.ispe(640, 480)) + box("ipma", ipma)
            for last in [Sample.box, unsized] {
                let meta = last("meta", [0, 0, 0, 0] + pitm + last("iprp", properties))
                let header = try ImageHeader.parse(start + meta)
                #expect((header.width, header.height) == (640, 480))
            }
        }
        // The property's own size may be missing too; nothing behind its container belongs to it.
        let open = Sample.box("ipco", unsized("ispe", [0, 0, 0, 0] + Sample.big(7, 4) + Sample.big(5, 4)))
        let meta = Sample.box(
            "meta", [0, 0, 0, 0] + pitm + Sample.box("iprp", open + Sample.box("ipma", ipma)))
        let header = try ImageHeader.parse(start + meta + Sample.box("mdat", [1, 2, 3]))
        #expect((header.width, header.height) == (7, 5))
    }

    @Test func `a box holds at least its own head, and no more than its container`() throws {
        for (size, isPossible) in [(7, false), (8, true), (9, false)] {
            let box = Sample.big(size, 4) + Array("free".utf8)
            let header = try? ImageHeader.parse(Sample.heif(moov: box))
            #expect((header?.width == 640) == isPossible, "\(size)")
        }
        for (size, isPossible) in [(15, false), (16, true), (17, false)] {
            let box = Sample.big(1, 4) + Array("free".utf8) + Sample.big(size, 8)
            let header = try? ImageHeader.parse(Sample.heif(moov: box))
            #expect((header?.width == 640) == isPossible, "\(size)")
        }
    }

    @Test(arguments: [
        SampleHeaders.big(1, 4) + Array("free".utf8) + SampleHeaders.big(Int.max, 8),
        SampleHeaders.big(1, 4) + Array("free".utf8) + [UInt8](repeating: 0xFF, count: 8),
        SampleHeaders.big(7, 4) + Array("free".utf8),
        SampleHeaders.big(0, 4) + Array("free".utf8),
        SampleHeaders.box("meta", []),
        SampleHeaders.box("meta", [0, 0, 0, 0]),
    ])
    func `boxes that cannot be are damage`(box: [UInt8]) {
        #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(Sample.heif(moov: box)) }
    }

    @Test func `no size and a size of zero are damage`() {
        for properties in [[Sample.box("irot", [1])], [Sample.ispe(0, 480)], [Sample.ispe(1 << 31, 480)]] {
            #expect(throws: ImageHeaderError.damaged) {
                try ImageHeader.parse(Sample.heif(properties: properties))
            }
        }
    }
}

@Suite struct TIFFHeaderTests {
    private typealias Sample = SampleHeaders
    private let entries = [(256, 640), (257, 480)]

    @Test func `the largest page is known to an eighth, and counts where another than the first is taken`()
        throws
    {
        for (width, height) in [(640, 481), (900, 700), (5_000, 4_000), (16_000, 12_000), (60_000, 60_000)] {
            let pages = [entries, [(256, width), (257, height)], [(256, 10), (257, 10)]]
            let header = try ImageHeader.parse(Sample.tiff(pages))
            #expect((header.width, header.height, header.pages) == (640, 480, 3))
            #expect(header.shapes(ofPage: 0) == [header] && header.pixels(ofPage: 0) == 640 * 480)
            for page in [-2, -1, 1, 2] {
                let (pixels, shapes) = (header.pixels(ofPage: page), header.shapes(ofPage: page))
                #expect(pixels >= width * height && pixels <= width * height * 113 / 100)
                #expect(header.decodedPixels(ofPage: page) == pixels)
                for area in shapes.map(\.decodedPixels) {
                    #expect(area <= pixels && area > pixels * 98 / 100)
                }
                #expect(shapes.map { $0.width > $0.height } == [true, false])
            }
            var other = ImageHeader(format: .tiff, width: 640, height: 480, pages: 3)
            other.traits = header.traits
            #expect(other == header)
        }
        let monstrous = try ImageHeader.parse(
            Sample.tiff([entries, [(256, 4_294_967_295), (257, 4_294_967_295)]]))
        #expect(monstrous.largestPage == .max)
        #expect(monstrous.shapes(ofPage: 1).allSatisfy { $0.decodedPixels > 1 << 58 })
        let smaller = try ImageHeader.parse(Sample.tiff([entries, [(256, 10), (257, 10)]]))
        #expect(smaller.pixels(ofPage: 1) == 640 * 480)
        // Later pages may be longer than the first.
        #expect(smaller.shapes(ofPage: 1).map(\.width) == [1_108, 277])
    }

    @Test(
        arguments: [
            // Bits, sample format, photometric interpretation.
            (1, nil, 1, true), (2, 1, 1, true), (4, 1, 3, true), (8, 1, 2, true), (16, 1, 2, true),
            (8, 4, 2, true),
            (32, 3, 2, true), (16, 2, 8, true), (16, 2, 32_845, true),
            (32, 1, 2, false), (32, nil, 1, false), (32, 3, 1, false), (16, 2, 1, false), (8, 2, 1, false),
            (16, 3, 2, false), (64, 3, 2, false), (12, 1, 1, false), (32, 6, 2, false),
        ] as [(Int, Int?, Int, Bool)])
    func `samples that would become other colours are not read`(
        bits: Int, format: Int?, photometric: Int, isRead: Bool
    ) throws {
        for (bigEndian, big64) in [(false, false), (true, false), (false, true), (true, true)] {
            let samples = photometric == 2 ? 3 : 1
            let bytes = TIFFField.stream(
                [
                    .short(256, [64]), .short(257, [48]),
                    .short(258, Array(repeating: bits, count: samples)), .short(262, [photometric]),
                    .short(277, [samples]),
                ] + (format.map { [.short(339, Array(repeating: $0, count: samples))] } ?? []),
                bigEndian: bigEndian, big64: big64)
            #expect(try ImageHeader.parse(bytes).isDecodable == isRead)
        }
    }

    @Test func `tiles of one channel each are not read, and strips are`() throws {
        for (samples, planes, tag, isRead) in [
            (3, 2, 322, false), (3, 1, 322, true), (3, 2, 278, true), (1, 2, 322, true),
        ] {
            let bytes = TIFFField.stream([
                .short(256, [64]), .short(257, [48]), .short(258, Array(repeating: 8, count: samples)),
                .short(262, [2]), .short(277, [samples]), .short(284, [planes]), .short(tag, [16]),
            ])
            #expect(try ImageHeader.parse(bytes).isDecodable == isRead)
        }
    }

    @Test func `much of a deep picture at a time is told`() throws {
        for (bits, tag, rows, isDeep) in [
            (8, 278, 48, false), (16, 278, 48, true), (16, 278, 4, true), (16, 278, 3, false),
            (32, 278, 65_535, true), (16, 323, 16, true), (8, 323, 16, false), (16, 305, 1, true),
        ] {
            let bytes = TIFFField.stream([
                .short(256, [64]), .short(257, [48]), .short(258, [bits, bits, bits]), .short(262, [2]),
                .short(277, [3]), .short(tag, [rows]),
            ])
            #expect(try ImageHeader.parse(bytes).isDeep == isDeep, "\(bits), \(tag), \(rows)")
        }
    }

    @Test func `a deep page counts wherever it stands`() throws {
        func page(_ bits: Int, rows: Int = 48) -> [(Int, Int)] {
            [(256, 64), (257, 48), (258, bits), (278, rows)]
        }
        for (pages, isDeep) in [
            ([page(8), page(8)], false), ([page(8), page(16)], true), ([page(8), page(8), page(32)], true),
            ([page(8), page(16, rows: 3)], false), ([page(16), page(8)], true),
        ] {
            #expect(try ImageHeader.parse(Sample.tiff(pages)).isDeep == isDeep)
            #expect(try ImageHeader.parse(Sample.tiff(pages, bigEndian: true)).isDeep == isDeep)
        }
    }

    @Test func `both byte orders and both offset sizes are read`() throws {
        for bigEndian in [false, true] {
            for big64 in [false, true] {
                let bytes = Sample.tiff([entries], bigEndian: bigEndian, big64: big64)
                #expect(try ImageHeader.parse(bytes) == ImageHeader(format: .tiff, width: 640, height: 480))
            }
        }
    }

    @Test func `orientation and alpha come from the first directory`() throws {
        let bytes = Sample.tiff([entries + [(274, 6), (277, 4)], [(256, 1), (274, 3)]])
        let expected = ImageHeader(
            format: .tiff, width: 640, height: 480, pages: 2, orientation: 6, hasAlpha: true)
        #expect(try ImageHeader.parse(bytes) == expected)
    }

    @Test func `pages are the directories`() throws {
        #expect(try ImageHeader.parse(Sample.tiff(Array(repeating: entries, count: 40))).pages == 40)
    }

    @Test func `a chain that bites its tail ends there`() throws {
        #expect(try ImageHeader.parse(Sample.tiff([entries, entries], last: 8)).pages == 2)
        #expect(try ImageHeader.parse(Sample.tiff([entries], last: 8)).pages == 1)
        #expect(try ImageHeader.parse(Sample.tiff([entries], last: 1 << 30)).pages == 1)
    }

    @Test func `no size is damage`() {
        for bytes in [Sample.tiff([[(256, 640)]]), Sample.tiff([[(256, 0), (257, 9)]]), Array("II*\0".utf8)] {
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(bytes) }
        }
    }

    @Test func `64-bit numbers beyond all files are damage`() {
        let start = Array("II+\0".utf8) + [8, 0, 0, 0]
        for offset in [Int.max, Int.max - 15, -1, 16] {
            let bytes = start + Sample.little(offset, 8) + Sample.little(offset == 16 ? -1 : 1, 8)
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(bytes) }
        }
    }
}
