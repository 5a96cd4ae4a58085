// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

private let formats: [ImageFormat] = [.jpeg, .png, .webp, .avif]

/// The rights that a file names.
private func rights(_ file: [UInt8]) throws -> PictureRights {
    try PictureRights.read(HeaderBytes(file), ImageHeader.parse(file).format)
}

private func recipe(_ format: ImageFormat, _ options: String = "") throws -> Recipe {
    var recipe = try Recipe(canonical: options)
    (recipe.output, recipe.metadata) = (.format(format), .copyright)
    return recipe
}

/// An EXIF directory of texts, with a position and an orientation beside them.
private func exif(_ texts: [(tag: Int, text: [UInt8])], orientation: Int = 1) -> [UInt8] {
    let count = texts.count + 2
    var (entries, data): ([UInt8], [UInt8]) = ([], [])
    let start = 8 + 2 + 12 * count + 4
    func add(_ tag: Int, _ type: Int, _ bytes: [UInt8]) {
        let inPlace = bytes.count <= 4
        entries += big16(tag) + big16(type) + big32(bytes.count)
        entries += inPlace ? bytes + [UInt8](repeating: 0, count: 4 - bytes.count) : big32(start + data.count)
        if !inPlace { data += bytes }
    }
    entries += big16(274) + big16(3) + big32(1) + big16(orientation) + [0, 0]
    for (tag, text) in texts { add(tag, 2, text) }
    add(0x8825, 7, Array("secret place".utf8))
    return Array("MM\0*".utf8) + big32(8) + big16(count) + entries + big32(0) + data
}

private func text(_ words: String) -> [UInt8] { Array(words.utf8) + [0] }

/// An APP13 segment with these datasets of IPTC's second record.
private func photoshop(_ texts: [(dataset: UInt8, words: String)]) -> [UInt8] {
    let iptc = texts.flatMap { text -> [UInt8] in
        [0x1C, 2, text.dataset] + big16(text.words.utf8.count) + Array(text.words.utf8)
    }
    let other = Array("8BIM".utf8) + big16(0x03ED) + [1, 0x61] + big32(3) + [1, 2, 3, 0]
    let resource = Array("8BIM".utf8) + big16(0x0404) + [0, 0] + big32(iptc.count) + iptc
    return Array("Photoshop 3.0\0".utf8) + other + resource
}

/// The chunks of an animated WebP of 10 × 6 with two equal frames.
private func equalFrames() throws -> [(name: String, payload: [UInt8])] {
    let parts = [UInt8(0), 1].map { index in
        GIFFile.Part(left: 0, top: 0, width: 10, height: 6, indices: [UInt8](repeating: index, count: 60))
    }
    let gif = GIFFile.write(
        width: 10, height: 6, palette: [[0, 0, 250], [250, 0, 0]], parts: parts, loop: 0)
    let chunks = WebPFile.chunks(try TestRenderer.render(gif, .make(.webp, n: -1)).bytes)
    let frame = try #require(chunks.first { $0.name == "ANMF" })
    return chunks.filter { $0.name != "ANMF" } + [frame, frame]
}

@Suite struct RightsTests {
    private let plain: [UInt8]
    private let scene = Canvas(160, 120) { x, y in [UInt8(x), UInt8(y * 2), 90] }

    init() throws { plain = try TestRenderer.render(PNGFile.write(scene), .make(.jpeg, q: 90)).bytes }

    private var full: [UInt8] {
        JPEGFile.withEXIF(exif([(315, text("Jane Doe")), (33_432, text("© 2026 Doe & Co. ®"))]), plain)
    }

    @Test func `an animation of equal frames that names an artist is as large as a frame`() throws {
        var chunks = try equalFrames()
        chunks[0].payload[0] |= 0x08
        chunks.append((name: "EXIF", payload: exif([(315, text("Jane Doe"))])))
        let made = try TestRenderer.render(WebPFile.write(chunks), recipe(.webp, "n=-1&w=5"))
        #expect(try rights(made.bytes).artist == "Jane Doe")
        #expect(made.header?.stored == PixelSize(width: 5, height: 3))
        let pixels = try #require(try TestRenderer.decode(made.bytes))
        #expect((pixels.width, pixels.height) == (5, 3))
    }

    @Test(arguments: formats, [true, false])
    func `artist and copyright are kept, and nothing else`(format: ImageFormat, lane: Bool) throws {
        for options in ["q=80&w=80", "q=80", "q=80&sharp=2&w=80", "q=80&w=80&h=80&fit=cover"] {
            let made = try TestRenderer.render(full, recipe(format, options), jpegLane: lane)
            let found = try rights(made.bytes)
            #expect(found.artist == "Jane Doe" && found.copyright == "© 2026 Doe & Co. ®", "\(options)")
            #expect(made.bytes.firstRange(of: Array("secret".utf8)) == nil)
            // Other readers of the file see the same pixels.
            let without = try TestRenderer.render(
                plain, Recipe(canonical: options + "&output=\(format == .jpeg ? "jpg" : "\(format)")"),
                jpegLane: lane)
            #expect(made.header == without.header)
            #expect(
                try TestRenderer.decode(made.bytes)?.samples == TestRenderer.decode(without.bytes)?.samples)
        }
        #expect(try rights(TestRenderer.render(full, .make(format, w: 80)).bytes).isEmpty)
    }

    @Test func `what is turned is turned once`() throws {
        let turned = JPEGFile.withEXIF(exif([(315, text("J"))], orientation: 6), plain)
        for format in formats {
            let made = try TestRenderer.render(turned, recipe(format, "h=80"))
            #expect(made.header?.orientation == 1 && made.header?.width == 60)
            #expect(try rights(made.bytes).artist == "J")
        }
    }

    @Test(arguments: formats)
    func `beside a profile, with alpha and from every format that can say it`(format: ImageFormat) throws {
        let chunk = PNGFile.chunk("eXIf", exif([(315, text("A B")), (33_432, text("C"))]))
        let profile = MatrixProfile.displayP3.file()
        let png = PNGFile.write(
            width: 32, height: 32, depth: 8, colourType: 6,
            rows: Canvas(32, 32, of: [200, 90, 60, 128]).samples,
            before: PNGFile.profile(profile) + chunk)
        for kind in ["p3", "keep", "srgb"] {
            var wanted = try recipe(format)
            wanted.profile = try Recipe(canonical: "profile=\(kind)").profile
            let made = try TestRenderer.render(png, wanted)
            #expect(try rights(made.bytes).artist == "A B" && rights(made.bytes).copyright == "C", "\(kind)")
            let details = ImageDetails.parse(HeaderBytes(made.bytes), header: try #require(made.header))
            #expect(details.hasProfile == (kind == "keep" || kind == "p3" && format != .avif))
            #expect(made.header?.hasAlpha == (format != .jpeg))
            // From there on to the other formats.
            for other in formats {
                let again = try TestRenderer.render(made.bytes, recipe(other, "w=20"))
                #expect(try rights(again.bytes).copyright == "C", "\(format) to \(other)")
            }
        }
    }

    @Test func `a picture without them is the same file as without the option`() throws {
        for format in formats {
            for file in [plain, JPEGFile.withEXIF(EXIF.withPosition, plain)] {
                let made = try TestRenderer.render(file, recipe(format, "q=80&w=80")).bytes
                #expect(try made == TestRenderer.render(file, .make(format, w: 80, q: 80)).bytes)
            }
        }
        var lossless = try recipe(.avif, "ll")
        #expect(lossless.canonicalised.metadata == .none)
        lossless.lossless = false
        #expect(lossless.canonicalised.metadata == .copyright)
        for format in [ImageFormat.gif, .tiff] { #expect(try recipe(format).canonicalised.metadata == .none) }
    }

    @Test func `an original's own bytes have them too`() throws {
        let small = try TestRenderer.render(PNGFile.write(scene), .make(.jpeg, q: 5)).bytes
        let file = JPEGFile.withEXIF(exif([(315, text("Jane"))]), small)
        let made = try TestRenderer.render(file, recipe(.jpeg, "q=100")).bytes
        #expect(made.count < file.count, "the original's pixels, not new ones")
        #expect(try rights(made).artist == "Jane")
        #expect(made.firstRange(of: Array("secret".utf8)) == nil)
    }

    @Test func `IPTC counts where EXIF says nothing, and a PNG's texts likewise`() throws {
        let press = photoshop([(80, "By Line"), (116, "Agency"), (105, "secret headline")])
        let file = JPEGFile.inserting(0xED, press, into: plain)
        #expect(try rights(file).artist == "By Line" && rights(file).copyright == "Agency")
        let both = JPEGFile.withEXIF(exif([(33_432, text("EXIF's"))]), file)
        #expect(try rights(both).artist == "By Line" && rights(both).copyright == "EXIF's")
        let made = try TestRenderer.render(both, recipe(.png, "w=40")).bytes
        #expect(try rights(made) == rights(both))
        let texts = [("Author", "Ann"), ("Comment", "secret"), ("Copyright", "\u{A9}")].flatMap {
            name, text in
            let latin = text.unicodeScalars.map { UInt8($0.value) }
            return PNGFile.chunk("tEXt", Array(name.utf8) + [0] + latin)
        }
        let png = PNGFile.write(
            width: 32, height: 32, depth: 8, colourType: 2, rows: Canvas(32, 32, of: [1, 2, 3]).samples,
            before: texts)
        #expect(try rights(png).artist == "Ann" && rights(png).copyright == "©")
        #expect(try rights(TestRenderer.render(png, recipe(.jpeg)).bytes).copyright == "©")
    }

    @Test func `texts are cleaned and cut`() throws {
        func read(_ bytes: [UInt8]) throws -> String? {
            try rights(JPEGFile.withEXIF(exif([(33_432, bytes)]), plain)).copyright
        }
        #expect(try read(Array("One\0Two\0".utf8)) == "One; Two")
        #expect(try read(Array(" \0Editor\0".utf8)) == "Editor")
        #expect(try read(Array("a\r\nb\u{1B}[31m\u{202E}c\0".utf8)) == "a b [31m c")
        #expect(try read([0xA9, 0x20, 0x78, 0]) == "© x", "Latin-1")
        #expect(try read(Array("   \0".utf8)) == nil)
        let long = try #require(try read(Array(String(repeating: "é", count: 3_000).utf8) + [0]))
        #expect(long.utf8.count == PictureRights.longest)
        let marked = "e" + String(repeating: "\u{301}", count: 3_000)
        #expect(try read(Array(marked.utf8) + [0]) == nil, "one letter, too long to keep")
        #expect(try read(Array(("ab" + marked).utf8) + [0]) == "ab")
        let made = try TestRenderer.render(
            JPEGFile.withEXIF(exif([(33_432, Array(long.utf8) + [0])]), plain), recipe(.webp, "w=40"))
        #expect(try rights(made.bytes).copyright == long)
    }

    @Test(arguments: [(0, true), (7, true), (8, false), (1_000, false)])
    func `a few blank texts are passed over, and no more`(blanks: Int, isFound: Bool) throws {
        let blank = PNGFile.chunk("tEXt", Array("Author".utf8) + [0] + [UInt8](repeating: 0x20, count: 40))
        let named = PNGFile.chunk("tEXt", Array("Author".utf8) + [0] + Array("Ann".utf8))
        let png = PNGFile.write(
            width: 32, height: 32, depth: 8, colourType: 2, rows: Canvas(32, 32, of: [1, 2, 3]).samples,
            before: [UInt8](repeatElement(blank, count: blanks).joined()) + named)
        #expect(try rights(png).artist == (isFound ? "Ann" : nil))
    }

    @Test func `damaged files say what they can, and trap nowhere`() throws {
        let original = JPEGFile.inserting(0xED, photoshop([(80, "By Line"), (116, "Agency")]), into: full)
        let files = try [original] + formats.map { try TestRenderer.render(full, recipe($0, "w=40")).bytes }
        var random = Lehmer(state: 20_261_125)
        for file in files {
            let format = try ImageHeader.parse(file).format
            for length in stride(from: 0, to: min(file.count, 1_500), by: 7) {
                _ = PictureRights.read(HeaderBytes(Array(file.prefix(length))), format)
            }
            for _ in 0..<2_000 {
                var wild = file
                for _ in 0..<3 {
                    let place = Int(random.next() >> 8) % min(file.count, 1_200)
                    wild[place] = UInt8(truncatingIfNeeded: random.next() >> 8)
                }
                let found = PictureRights.read(HeaderBytes(wild), format)
                for text in [found.artist, found.copyright] {
                    #expect(text?.utf8.count ?? 0 <= PictureRights.longest)
                }
            }
        }
    }
}
