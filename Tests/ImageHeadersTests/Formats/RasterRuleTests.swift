// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Testing

@Suite("Rules of the formats' headers, at their edges")
struct RasterRuleTests {
    private typealias Sample = SampleHeaders

    // MARK: PNG

    @Test func `an interlaced PNG comes in passes`() throws {
        var bytes = Sample.png()
        #expect(try !ImageHeader.parse(bytes).isProgressive)
        bytes[28] = 1
        #expect(try ImageHeader.parse(bytes).isProgressive)
    }

    @Test(arguments: [(1, false), (8, false), (16, true)] as [(UInt8, Bool)])
    func `samples of 16 bits are deep`(bits: UInt8, isDeep: Bool) throws {
        var bytes = Sample.png()
        bytes[24] = bits
        #expect(try ImageHeader.parse(bytes).isDeep == isDeep)
    }

    @Test func `the other fields of IHDR say nothing of the picture's shape`() throws {
        var bytes = Sample.png()
        for (index, value) in [(26, UInt8(1)), (27, 1)] { bytes[index] = value }
        #expect(try ImageHeader.parse(bytes) == ImageHeader(format: .png, width: 640, height: 480))
        bytes[11] = 12
        #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(bytes) }
    }

    @Test func `an orientation behind the pixels is not looked for, and the last before them counts`() throws
    {
        let exif = Sample.chunk("eXIf", Sample.exif(6)) + Sample.chunk("eXIf", Sample.exif(3))
        #expect(try ImageHeader.parse(Sample.png(before: exif)).orientation == 3)
        let late = Array(Sample.png().dropLast(12)) + Sample.chunk("eXIf", Sample.exif(6))
        #expect(try ImageHeader.parse(late).orientation == 1)
    }

    // MARK: GIF

    private func screen(_ packed: UInt8, table: Int, _ blocks: [UInt8]) -> [UInt8] {
        Array("GIF89a".utf8) + Sample.little(64, 2) + Sample.little(48, 2) + [packed, 0, 0]
            + [UInt8](repeating: 0x2C, count: table) + blocks + [0x3B]
    }

    @Test func `a colour table has three bytes for each of two to 256 colours, or is not there`() throws {
        for size in 0..<8 {
            let bytes = 3 << (size + 1)
            let table = screen(0x80 | UInt8(size), table: bytes, Sample.gifFrame())
            #expect(try ImageHeader.parse(table).pages == 1, "\(size)")
            #expect(try ImageHeader.parse(screen(0x70 | UInt8(size), table: 0, Sample.gifFrame())).pages == 1)
            var frame: [UInt8] = [0x2C, 0, 0, 0, 0, 64, 0, 48, 0, 0x80 | UInt8(size)]
            frame += [UInt8](repeating: 1, count: bytes) + [2, 1, 9, 0]
            #expect(try ImageHeader.parse(screen(0, table: 0, frame + frame)).pages == 2, "\(size)")
        }
        let bare: [UInt8] = [0x2C, 0, 0, 0, 0, 64, 0, 48, 0, 0x47, 2, 1, 9, 0]
        #expect(try ImageHeader.parse(screen(0, table: 0, bare + bare)).pages == 2)
    }

    @Test func `codes have fewer than twelve bits to begin with`() throws {
        for (size, isPossible) in [(UInt8(2), true), (11, true), (12, false), (255, false)] {
            let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 64, 0, 48, 0, 0, size, 1, 9, 0]
            let header = try? ImageHeader.parse(screen(0, table: 0, frame))
            #expect((header?.pages == 1) == isPossible, "\(size)")
        }
    }

    @Test func `an extension's first part is passed over though it is empty, but for a comment's`() throws {
        // 44 bytes of data, which are a frame to a reader that considers the extension ended.
        let hidden: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 1, 9, 0]
        let inner = hidden + [UInt8](repeating: 0, count: 45 - hidden.count) + [0]
        for label in [0x01, 0xF9, 0xFF] as [UInt8] {
            let file = screen(0, table: 0, [0x21, label, 0] + inner + Sample.gifFrame(width: 70))
            let header = try ImageHeader.parse(file)
            #expect((header.width, header.pages) == (70, 1), "\(label)")
            #expect(ImageDetails.parse(HeaderBytes(file), header: header).delays.count == 1)
        }
        let header = try ImageHeader.parse(screen(0, table: 0, [0x21, 0xFE, 0] + Sample.gifFrame(width: 70)))
        #expect((header.width, header.pages) == (70, 1))
    }

    @Test func `a frame counts from the first byte of its data on`() throws {
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 64, 0, 48, 0, 0, 2, 1, 9, 0]
        let whole = Array(screen(0, table: 0, frame + frame).dropLast())
        // A header of ten bytes, the code size, and the first length follow the first frame.
        let first = whole.count - frame.count
        for length in first...whole.count {
            let header = try ImageHeader.parse(Array(whole.prefix(length)))
            #expect(header.pages == (length - first < 12 ? 1 : 2), "\(length - first)")
        }
        #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(Array(whole.prefix(13 + 11))) }
        #expect(try ImageHeader.parse(Array(whole.prefix(13 + 12))).pages == 1)
        // The file's trailer in place of the data does not count as data.
        #expect(try ImageHeader.parse(Array(whole.prefix(first + 11)) + [0x3B]).pages == 1)
        #expect(throws: ImageHeaderError.damaged) {
            try ImageHeader.parse(Array(whole.prefix(13 + 11)) + [0x3B])
        }
    }

    @Test(arguments: [
        (2_048, 2_048, true), (2_049, 1, false), (1, 2_049, false), (1, 0, false), (640, 479, true),
        (641, 480, true),
        (640, 512, true), (800, 600, true), (1_024, 768, true), (1_280, 1_024, true), (480, 640, true),
    ])
    func `a screen is believed unless it is enormous or none`(
        width: Int, height: Int, isBelieved: Bool
    ) throws {
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 1, 9, 0]
        let header = try ImageHeader.parse(Sample.gif(width: width, height: height, frame))
        #expect((header.width, header.height) == (isBelieved ? (width, height) : (1, 1)))
    }

    @Test func `only a graphic control's lowest flag is transparency`() throws {
        let other: [UInt8] = [0x21, 0xF9, 4, 0xFE, 10, 0, 0, 0]
        #expect(try !ImageHeader.parse(Sample.gif(other + Sample.gifFrame())).hasAlpha)
        let comment: [UInt8] = [0x21, 0xFE, 1, 1, 0]
        #expect(try !ImageHeader.parse(Sample.gif(comment + Sample.gifFrame())).hasAlpha)
    }

    // MARK: WebP

    @Test func `chunks are padded to an even length`() throws {
        for length in 0..<4 {
            let odd = Sample.webpChunk("XMP ", [UInt8](repeating: 9, count: length))
            let chunks =
                Sample.vp8x(flags: 0x0A) + odd + Sample.webpChunk("ANMF", [1]) + odd
                + Sample.webpChunk("EXIF", Sample.exif(6)) + odd
            let header = try ImageHeader.parse(Sample.webp(chunks))
            #expect((header.pages, header.orientation) == (1, 6), "\(length)")
        }
    }

    @Test func `a chunk that is not all there ends the file`() throws {
        let frame = Sample.webpChunk("ANMF", [1, 2])
        let cut = Array("ANMF".utf8) + Sample.little(3, 4) + [1, 2]
        #expect(try ImageHeader.parse(Sample.webp(Sample.vp8x(flags: 2) + frame + cut)).pages == 1)
        let whole = Array("ANMF".utf8) + Sample.little(2, 4) + [1, 2]
        #expect(try ImageHeader.parse(Sample.webp(Sample.vp8x(flags: 2) + frame + whole)).pages == 2)
    }

    @Test func `canvas sides have 24 bits`() throws {
        let header = try ImageHeader.parse(Sample.webp(Sample.vp8x(width: 1 << 24, height: 1 << 24)))
        #expect((header.width, header.height) == (1 << 24, 1 << 24))
        let small = try ImageHeader.parse(Sample.webp(Sample.vp8x(width: 1, height: 1)))
        #expect((small.width, small.height) == (1, 1))
    }

    @Test func `each flag of an extended picture means its own thing`() throws {
        let chunks =
            Sample.webpChunk("ANMF", [1]) + Sample.webpChunk("ANMF", [1])
            + Sample.webpChunk("EXIF", Sample.exif(6))
        for flags in UInt8(0)...0x3F {
            let header = try ImageHeader.parse(Sample.webp(Sample.vp8x(flags: flags) + chunks))
            #expect(header.hasAlpha == (flags & 0x10 != 0))
            #expect(header.pages == (flags & 0x02 != 0 ? 2 : 1))
            #expect(header.orientation == (flags & 0x08 != 0 ? 6 : 1))
        }
    }

    // MARK: EXIF

    @Test func `an orientation is a number of any whole type, the first of its tag`() throws {
        for (type, size) in [(1, 1), (3, 2), (4, 4)] {
            for bigEndian in [false, true] {
                let field = TIFFField(tag: 274, type: type, size: size, values: [6])
                let stream = TIFFField.stream([field, .short(274, [3])], bigEndian: bigEndian)
                let header = try ImageHeader.parse(Sample.jpeg(before: Sample.exifSegment(stream)))
                #expect(header.orientation == 6, "\(type)")
            }
        }
        for field in [
            TIFFField.raw(274, [6]), TIFFField(tag: 274, type: 16, size: 8, values: [6]), .short(274, []),
        ] {
            let stream = TIFFField.stream([field])
            #expect(try ImageHeader.parse(Sample.jpeg(before: Sample.exifSegment(stream))).orientation == 1)
        }
    }

    @Test func `Big TIFF is no EXIF`() throws {
        let stream = TIFFField.stream([.short(274, [6])], big64: true)
        #expect(try ImageHeader.parse(Sample.jpeg(before: Sample.exifSegment(stream))).orientation == 1)
        let size = [TIFFField.short(256, [4]), .short(257, [3])]
        let file = TIFFField.stream(size + [.short(274, [6])], big64: true)
        #expect(try ImageHeader.parse(file).orientation == 6)
    }

    // MARK: BMP and icons

    @Test(arguments: [
        (40, 1, 1, 1), (40, 640, -480, 480), (124, 5, 2_147_483_647, 2_147_483_647), (108, 5, -1, 1),
        (52, 2, 3, 3),
        (56, 2, 3, 3), (64, 2, 3, 3), (16, 2, 3, 3),
    ])
    func `a bitmap's sides have 32 bits, and its height a sign`(
        size: Int, width: Int, height: Int, expected: Int
    ) throws {
        let start = Array("BM".utf8) + [UInt8](repeating: 0, count: 12)
        let header = try ImageHeader.parse(
            start + Sample.little(size, 4) + Sample.little(width, 4) + Sample.little(height, 4))
        #expect(header == ImageHeader(format: .bmp, width: width, height: expected))
    }

    @Test func `a bitmap of an unknown header, or of an impossible height, is none`() {
        let start = Array("BM".utf8) + [UInt8](repeating: 0, count: 12)
        for size in [0, 13, 41, 296, 0x0100_0028] {
            let bytes = start + Sample.little(size, 4) + Sample.little(4, 4) + Sample.little(3, 4)
            #expect(throws: ImageHeaderError.notAnImage) { try ImageHeader.parse(bytes) }
        }
        let least = start + Sample.little(40, 4) + Sample.little(4, 4) + Sample.little(-2_147_483_648, 4)
        #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(least) }
        #expect(throws: ImageHeaderError.notAnImage) { try ImageHeader.parse(Array(least.prefix(17))) }
    }

    /// A bitmap's header up to its masks.
    private func masked(_ size: Int, coding: Int, alpha: Int) -> [UInt8] {
        let start = Array("BM".utf8) + [UInt8](repeating: 0, count: 12)
        let sides = Sample.little(size, 4) + Sample.little(4, 4) + Sample.little(3, 4)
        return start + sides + Sample.little(1, 2) + Sample.little(32, 2) + Sample.little(coding, 4)
            + [UInt8](repeating: 0, count: 20) + Sample.little(0xFF_0000, 4) + Sample.little(0xFF00, 4)
            + Sample.little(0xFF, 4) + Sample.little(alpha, 4)
    }

    @Test(arguments: [
        (124, 3, 0xFF00_0000, true), (108, 3, 1, true), (56, 3, 1, true), (40, 6, 1, true),
        (124, 3, 0, false), (40, 6, 0, false), (124, 0, 0xFF00_0000, false), (40, 3, 1, false),
        (52, 3, 1, false), (64, 3, 1, false),
    ])
    func `a bitmap has alpha where it has a mask for it`(
        size: Int, coding: Int, alpha: Int, expected: Bool
    ) throws {
        #expect(try ImageHeader.parse(masked(size, coding: coding, alpha: alpha)).hasAlpha == expected)
    }

    @Test(arguments: [
        (40, [0, 1, 2, 3, 6], [4, 5, 7, 11, 12, 13, 0xFFFF]), (124, [0, 1, 2, 3, 6], [4, 5]),
        (64, [0, 1, 2], [3, 4, 6]),
    ])
    func `a bitmap in a rare coding is told from others`(size: Int, read: [Int], rare: [Int]) throws {
        for coding in read + rare {
            let header = try ImageHeader.parse(masked(size, coding: coding, alpha: 0))
            #expect(header.isDecodable == read.contains(coding), "\(coding)")
        }
    }

    // MARK: Brands

    @Test func `a brand counts where the box of brands has it`() throws {
        for (brand, compatible, expected) in [
            ("mif1", ["miaf", "avif"], ImageFormat.avif), ("msf1", ["hevc", "avif"], .heic),
            ("msf1", [], .heic),
            ("avis", ["heic"], .avif), ("heim", [], .heic), ("heis", [], .heic), ("hevm", [], .heic),
            ("hevs", [], .heic),
            ("heix", [], .heic), ("hevx", [], .heic), ("xxxx", ["avif"], .avif), ("xxxx", ["mif1"], .heic),
        ] {
            let bytes = Sample.heif(brand: brand, compatible: compatible)
            #expect(try ImageHeader.parse(bytes).format == expected, "\(brand)")
        }
        // Bytes behind the box are no brands.
        let bytes =
            Sample.box("ftyp", Array("isom".utf8) + [0, 0, 0, 0]) + Array("avif".utf8) + [0, 0, 0, 0]
        #expect(throws: ImageHeaderError.notAnImage) { try ImageHeader.parse(bytes) }
        // A minor version is no brand either.
        let minor = Sample.box("ftyp", Array("isomavif".utf8)) + [UInt8](repeating: 0, count: 8)
        #expect(throws: ImageHeaderError.notAnImage) { try ImageHeader.parse(minor) }
    }

    // MARK: All of them

    @Test func `a picture may be a single pixel`() throws {
        let bitmap = Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + Sample.little(40, 4)
        for bytes in [
            Sample.jpeg(width: 1, height: 1), Sample.png(width: 1, height: 1),
            Sample.webp(Sample.vp8(width: 1, height: 1)),
            Sample.webp(Sample.vp8l(width: 1, height: 1)), Sample.heif(properties: [Sample.ispe(1, 1)]),
            Sample.gif(width: 1, height: 1, Sample.gifFrame(width: 1, height: 1)),
            Sample.tiff([[(256, 1), (257, 1)]]),
            bitmap + Sample.little(1, 4) + Sample.little(1, 4), Sample.icon(width: 1, height: 1),
        ] {
            let header = try ImageHeader.parse(bytes)
            #expect((header.width, header.height) == (1, 1), "\(header.format)")
        }
    }

    @Test func `what the first frame of a GIF leaves free is transparent`() throws {
        for (left, top, width, height, hasAlpha) in [
            (0, 0, 64, 48, false), (0, 0, 64, 47, true), (1, 0, 63, 48, true), (8, 8, 8, 8, true),
            (0, 0, 65, 48, false),
        ] as [(UInt8, UInt8, UInt8, UInt8, Bool)] {
            let part: [UInt8] = [0x2C, left, 0, top, 0, width, 0, height, 0, 0, 2, 1, 9, 0]
            let whole: [UInt8] = [0x2C, 0, 0, 0, 0, 64, 0, 48, 0, 0, 2, 1, 9, 0]
            #expect(try ImageHeader.parse(screen(0, table: 0, part)).hasAlpha == hasAlpha)
            #expect(try ImageHeader.parse(screen(0, table: 0, whole + part)).hasAlpha == false)
        }
    }
}
