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
        // Any of its items: the second is that of the alpha.
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

    /// The size 0, which only a last box may have.
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
        // The property's own size may be missing too; nothing of what follows its container is its.
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

    @Test func `both byte orders and both offset sizes are read`() throws {
        for bigEndian in [false, true] {
            for big64 in [false, true] {
                let bytes = Sample.tiff([entries], bigEndian: bigEndian, big64: big64)
                #expect(try ImageHeader.parse(bytes) == ImageHeader(format: .tiff, width: 640, height: 480))
            }
        }
    }

    @Test func `orientation and alpha come from the first directory`() throws {
        let bytes = Sample.tiff([entries + [(274, 6), (338, 2)], [(256, 1), (274, 3)]])
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
