// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

@Suite("A TIFF's directory is read as libtiff reads it")
struct TIFFRuleTests {
    /// Integer types, unsigned and signed.
    private static let types = [(3, 2), (4, 4), (8, 2), (9, 4)]

    @Test func `a tile is decoded whole, however small the picture is`() throws {
        for (type, size) in Self.types {
            func header(_ side: Int, height: Int) throws -> ImageHeader {
                try ImageHeader.parse(
                    TIFFField.stream([
                        .short(256, [64]), .short(257, [48]), .short(258, [8]),
                        TIFFField(tag: 322, type: type, size: size, values: [side]),
                        TIFFField(tag: 323, type: type, size: size, values: [height]),
                    ]))
            }
            #expect(try header(5_008, height: 4_992).decodedPixels >= 5_008 * 4_992, "\(type)")
            #expect(try header(256, height: 256).decodedPixels == 64 * 48, "\(type)")
            #expect(try header(64, height: 48).decodedPixels == 64 * 48, "\(type)")
        }
        let huge = TIFFField.stream([
            .short(256, [64]), .short(257, [48]), .long(322, [4_294_967_295]), .long(323, [4_294_967_295]),
        ])
        #expect(try ImageHeader.parse(huge).decodedPixels > 1 << 62)
    }

    @Test func `the tile around a small picture counts no more pixels than it has`() throws {
        let tile = [(256, 300), (257, 300), (322, 4_096), (323, 4_096)]
        #expect(try ImageHeader.parse(SampleHeaders.tiff([tile])).decodedPixels == 4_096 * 4_096)
        // A page that is looked at alone has the tile of the page that has the largest, within a step.
        let (both, file) = (SampleHeaders.tiff([tile, tile]), HeaderBytes(SampleHeaders.tiff([tile, tile])))
        let whole = try ImageHeader.parse(both)
        for page in 0..<2 {
            let shown = try #require(TIFFPages.header(of: page, in: whole, file), "\(page)")
            #expect(shown.decodedPixels >= 4_096 * 4_096, "\(page)")
        }
    }

    @Test func `a tile of a high picture counts by the bytes of its samples`() throws {
        for (bits, bytes) in [(8, 1), (16, 2), (32, 4)] {
            let header = try ImageHeader.parse(
                SampleHeaders.tiff([
                    [(256, 64), (257, 65_536), (258, bits), (277, 4), (322, 4_096), (323, 4_096)]
                ]))
            #expect(!header.isDeep, "it holds little of the rows")
            #expect(header.decodedPixels >= bytes * 4_096 * 4_096, "\(bits)")
            #expect(bytes > 1 || header.decodedPixels == 4_096 * 4_096)
        }
    }

    @Test func `LogLuv is unpacked as floating-point numbers, however few bits it tells of`() throws {
        let fields = [(256, 64), (257, 65_536), (258, 8), (262, 32_845), (277, 3)]
        func header(_ more: [(Int, Int)]) throws -> ImageHeader {
            try ImageHeader.parse(SampleHeaders.tiff([fields + more]))
        }
        #expect(try header([(278, 65_536)]).isDeep)
        #expect(try !header([(278, 8)]).isDeep, "it holds little of the rows")
        #expect(try header([(322, 4_096), (323, 4_096)]).decodedPixels >= 4 * 4_096 * 4_096)
    }

    @Test(arguments: [
        (8, 8, true), (8, 16, true), (8, 32, true), (8, 64, false), (8, 128, false), (32_844, 128, false),
    ])
    func `numbers of CIELAB are no longer than those that are paid for`(
        colours: Int, bits: Int, isRead: Bool
    ) throws {
        let page = [(256, 64), (257, 48), (258, bits), (262, colours), (277, 3), (339, bits > 32 ? 6 : 2)]
        #expect(try ImageHeader.parse(SampleHeaders.tiff([page])).isDecodable == isRead)
    }

    @Test(arguments: [
        (1, 3, true), (5, 8, true), (7, 1, true), (7, 2, true), (7, 5, true), (7, 6, true), (7, 3, false),
        (7, 8, false), (33_003, 6, false), (33_004, 1, false), (33_005, 2, false),
    ])
    func `a tile holds no more samples than there is room for`(
        coding: Int, colours: Int, isRead: Bool
    ) throws {
        let samples = colours == 5 ? 4 : 1
        let page = [(256, 64), (257, 48), (258, 8), (259, coding), (262, colours), (277, samples)]
        let tile = [(322, 64), (323, 48)]
        #expect(try ImageHeader.parse(SampleHeaders.tiff([page + tile])).isDecodable == isRead)
        #expect(try ImageHeader.parse(SampleHeaders.tiff([page])).isDecodable == (coding <= 7))
        let pages = HeaderBytes(SampleHeaders.tiff([[(256, 64), (257, 48)], page + tile]))
        #expect(TIFFPages.isDecodable(1, of: pages) == isRead)
    }

    @Test(arguments: [
        (0, true), (1, true), (2, false), (3, true), (4, false), (5, false), (6, false), (8, false),
        (9, false), (10, false), (32_803, false), (34_892, false),
    ])
    func `two samples are grey or an index, and alpha`(colours: Int, isRead: Bool) throws {
        let page = [(256, 64), (257, 48), (258, 8), (259, 7), (262, colours), (277, 2)]
        #expect(try ImageHeader.parse(SampleHeaders.tiff([page])).isDecodable == isRead)
    }

    @Test(arguments: [
        (0, true), (1, true), (2, true), (3, true), (4, false), (5, false), (8, true), (9, false),
        (10, false),
        (32_803, false), (34_892, false),
    ])
    func `colours that would be taken for others are not read`(colours: Int, isRead: Bool) throws {
        let page = [(256, 64), (257, 48), (258, 8), (262, colours), (277, 3)]
        #expect(try ImageHeader.parse(SampleHeaders.tiff([page])).isDecodable == isRead)
    }

    @Test(
        arguments: [
            (1, nil, false), (3, nil, false), (4, nil, true), (4, 1, true), (4, 2, false), (5, 1, true),
            (5, 2, false),
        ] as [(Int, Int?, Bool)])
    func `inks are read where they are those of CMYK`(samples: Int, set: Int?, isRead: Bool) throws {
        let page = [(256, 64), (257, 48), (258, 8), (262, 5), (277, samples)]
        let file = SampleHeaders.tiff([page + (set.map { [(332, $0)] } ?? [])])
        #expect(try ImageHeader.parse(file).isDecodable == isRead)
    }

    @Test(arguments: [(1, false), (5, false), (6, true), (7, true), (8, false), (32_946, false)])
    func `YCbCr is read where it is JPEG`(coding: Int, isRead: Bool) throws {
        let page = [(256, 64), (257, 48), (258, 8), (259, coding), (262, 6), (277, 3)]
        #expect(try ImageHeader.parse(SampleHeaders.tiff([page])).isDecodable == isRead)
    }

    @Test(arguments: [(0, 2), (1, 2), (1, 4), (3, 2), (8, 3), (8, 4), (2, 3), (2, 4), (5, 4), (5, 5)])
    func `planes are read whose rows libvips finds`(colours: Int, samples: Int) throws {
        func isRead(planes: Int) throws -> Bool {
            let page = [(256, 64), (257, 48), (258, 8), (262, colours), (277, samples), (284, planes)]
            return try ImageHeader.parse(SampleHeaders.tiff([page])).isDecodable
        }
        #expect(try isRead(planes: 1))
        #expect(try isRead(planes: 2) == [2, 5].contains(colours))
    }

    @Test func `LogLuv is read whatever bits it tells of`() throws {
        for bits in [8, 16, 32, 128] {
            let page = [(256, 64), (257, 48), (258, bits), (262, 32_845), (277, 3)]
            #expect(try ImageHeader.parse(SampleHeaders.tiff([page])).isDecodable, "\(bits)")
        }
    }

    @Test func `small levels of a pyramid do not make the whole of it deep`() throws {
        func page(_ side: Int, tile: Int = 256) -> [(Int, Int)] {
            [(256, side), (257, side), (258, 16), (277, 3), (322, tile), (323, tile)]
        }
        func isDeep(_ pages: [(Int, Int)]...) throws -> Bool {
            try ImageHeader.parse(SampleHeaders.tiff(pages, big64: true)).isDeep
        }
        #expect(try !isDeep(page(8_192), page(4_096), page(2_048), page(1_024), page(512), page(256)))
        #expect(try isDeep(page(8_192), page(4_096, tile: 512)), "it costs more than the first")
        #expect(try isDeep(page(8_192), page(64, tile: 8_192)), "its tile does")
    }

    @Test func `each page tells of itself whether its samples are read`() throws {
        let pages = [8, 64, 16, 32].map { bits in [(256, 64), (257, 48), (258, bits)] }
        for big64 in [false, true] {
            let file = HeaderBytes(SampleHeaders.tiff(pages, big64: big64))
            #expect(try ImageHeader.parse(file).isDecodable)
            #expect((0..<5).map { TIFFPages.isDecodable($0, of: file) } == [true, false, true, false, false])
            let whole = try ImageHeader.parse(file)
            let told = (0..<5).map { TIFFPages.header(of: $0, in: whole, file)?.isDecodable }
            #expect(told == [true, false, true, false, nil])
        }
        #expect(!TIFFPages.isDecodable(1, of: HeaderBytes([])))
    }

    @Test func `so do the largest page and the smallest`() throws {
        for (first, other) in [(8, 64), (64, 8)] {
            // Neither is the first page, whose samples decide about the file.
            let pages = [(64, 8), (80, first), (48, other)].map { page in
                [(256, page.0), (257, page.0), (258, page.1)]
            }
            let file = HeaderBytes(SampleHeaders.tiff(pages))
            let whole = try ImageHeader.parse(file)
            #expect(TIFFPages.header(of: -1, in: whole, file)?.isDecodable == (first == 8))
            #expect(TIFFPages.header(of: -2, in: whole, file)?.isDecodable == (other == 8))
        }
    }

    @Test func `a page has its own size and orientation`() throws {
        let pages = [(640, 480, 6), (800, 600, 1), (60, 90, 8), (60, 90, 2)].map { page in
            [(256, page.0), (257, page.1), (274, page.2)]
        }
        let file = HeaderBytes(SampleHeaders.tiff(pages))
        let whole = try ImageHeader.parse(file)
        for (page, size, orientation) in [
            (0, PixelSize(width: 640, height: 480), 6), (1, PixelSize(width: 800, height: 600), 1),
            (3, PixelSize(width: 60, height: 90), 2), (-1, PixelSize(width: 800, height: 600), 1),
            (-2, PixelSize(width: 60, height: 90), 8),
        ] {
            let found = try #require(TIFFPages.header(of: page, in: whole, file), "\(page)")
            #expect(found.stored == size && found.orientation == orientation && found.pages == 1, "\(page)")
        }
        #expect(TIFFPages.header(of: 4, in: whole, file) == nil)
        #expect(TIFFPages.header(of: 1, in: whole, HeaderBytes(SampleHeaders.png())) == nil)
    }

    @Test func `a tile of any page counts, for the first may be made from another`() throws {
        let (first, small) = ([(256, 640), (257, 480)], [(256, 64), (257, 48)])
        let usual = [(322, 256), (323, 256)]
        let plain = try ImageHeader.parse(SampleHeaders.tiff([first + usual, small + usual, small + usual]))
        for page in 0..<3 { #expect(plain.decodedPixels(ofPage: page) == 640 * 480) }
        for big64 in [false, true] {
            let huge = small + [(322, 5_008), (323, 4_992)]
            let header = try ImageHeader.parse(
                SampleHeaders.tiff([first + usual, small + usual, huge, small + usual], big64: big64))
            #expect(header.pages == 4)
            for page in -2..<4 { #expect(header.decodedPixels(ofPage: page) >= 5_008 * 4_992, "\(page)") }
        }
    }

    @Test func `samples beyond four count as pixels, because all of them are unpacked`() throws {
        let size = [(256, 4_096), (257, 512)]
        let pixels = 4_096 * 512
        func header(_ pages: [[(Int, Int)]]) throws -> ImageHeader {
            try ImageHeader.parse(SampleHeaders.tiff(pages.map { size + $0 }))
        }
        for samples in 1...5 {
            #expect(try header([[(258, 8), (277, samples)]]).decodedPixels == pixels, "\(samples)")
        }
        #expect(try header([[(258, 8), (277, 8)]]).decodedPixels == 2 * pixels)
        #expect(try header([[(258, 8), (277, 400)]]).decodedPixels >= 100 * pixels)
        // With one strip, the price of a pixel is that of more bits; with many strips it is not.
        #expect(try header([[(258, 16), (277, 64)]]).decodedPixels == 16 * pixels)
        #expect(try header([[(258, 16), (277, 64), (278, 8)]]).decodedPixels >= 32 * pixels)
        let later = try header([[(258, 8), (277, 3)], [(258, 8), (277, 400)]])
        for page in 0..<2 { #expect(later.decodedPixels(ofPage: page) >= 100 * pixels, "\(page)") }
        let tile = try header([[(258, 8), (277, 400), (322, 8_192), (323, 8_192)]])
        #expect(tile.decodedPixels >= 100 * 8_192 * 8_192)
        let most = try header([[(258, 8), (277, 4_294_967_295)]])
        #expect(most.decodedPixels > 1 << 50)
    }

    /// Photometric interpretation, and the number of colour samples.
    @Test(arguments: [(0, 1), (1, 1), (2, 3), (3, 1), (6, 3), (8, 3)])
    func `a sample behind the colours is alpha, whatever it is called`(colours: Int, count: Int) throws {
        for samples in 1...6 {
            for extra in [nil, 0, 1, 2] as [Int?] {
                let page = [(256, 64), (257, 48), (258, 8), (262, colours), (277, samples)]
                let header = try ImageHeader.parse(
                    SampleHeaders.tiff([page + (extra.map { [(338, $0)] } ?? [])]))
                #expect(header.hasAlpha == (samples > count), "\(samples), \(extra ?? -1)")
            }
        }
    }

    @Test func `what stands behind inks is no alpha`() throws {
        for samples in 4...6 {
            let page = [(256, 64), (257, 48), (258, 8), (262, 5), (277, samples), (338, 2)]
            #expect(try !ImageHeader.parse(SampleHeaders.tiff([page])).hasAlpha, "\(samples)")
        }
    }

    @Test func `of several fields of one tag the first counts, whatever its type`() throws {
        for (type, size) in Self.types {
            let first = TIFFField(tag: 256, type: type, size: size, values: [6_000])
            let bytes = TIFFField.stream([first, .short(256, [10]), .short(257, [48])])
            #expect(try ImageHeader.parse(bytes).width == 6_000, "\(type)")
        }
        let none = TIFFField.stream([.raw(256, [9]), .short(256, [10]), .short(257, [48])])
        #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(none) }
    }

    @Test func `samples are as deep as a number with a sign tells as well`() throws {
        for (type, size) in Self.types {
            let bytes = TIFFField.stream([
                .short(256, [64]), .short(257, [48]),
                TIFFField(tag: 258, type: type, size: size, values: [16]), .short(278, [48]),
            ])
            #expect(try ImageHeader.parse(bytes).isDeep, "\(type)")
        }
    }
}
