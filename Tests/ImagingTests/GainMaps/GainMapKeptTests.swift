// SPDX-License-Identifier: Apache-2.0
// With `gainmap` an Ultra HDR JPEG stays one: its map is resized, cut and turned like the picture.

import ImageHeaders
@testable import Imaging
import PixelReference
import RandomInputs
import Recipes
import RequestGrammar
import Testing

private func jpeg(_ canvas: Canvas) throws -> [UInt8] {
    try TestRenderer.render(PNGFile.write(canvas), .make(.jpeg, q: 95)).bytes
}

/// The terms of a map as cameras write them.
private let attributes =
    "hdrgm:Version=\"1.0\" hdrgm:GainMapMin=\"-0.5\" hdrgm:GainMapMax=\"2.25\" hdrgm:Gamma=\"1.1\" "
    + "hdrgm:HDRCapacityMin=\"0\" hdrgm:HDRCapacityMax=\"2.3\" hdrgm:BaseRenditionIsHDR=\"False\""

private let lists =
    "<hdrgm:GainMapMax><rdf:Seq><rdf:li>1</rdf:li><rdf:li> 2 </rdf:li><rdf:li>3</rdf:li></rdf:Seq></hdrgm:GainMapMax>"

private func xmp(_ attributes: String, _ elements: String = "") -> [UInt8] {
    let spaces =
        "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\""
    let text =
        "<?xpacket begin=\"\"?><x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF \(spaces)><rdf:Description \(attributes)>"
        + "\(elements)</rdf:Description></rdf:RDF></x:xmpmeta>   <?xpacket end=\"w\"?>"
    return Array("http://ns.adobe.com/xap/1.0/\0\(text)".utf8)
}

/// A picture followed by a map, which the index announces: little-endian, unlike our own.
private func joined(_ base: [UInt8], _ map: [UInt8], _ terms: [UInt8] = xmp(attributes)) -> [UInt8] {
    let marker: UInt8 = terms.starts(with: Array("http".utf8)) ? 0xE1 : 0xE2
    let map = JPEGFile.inserting(marker, terms, into: map)
    func index(_ first: Int) -> [UInt8] {
        var bytes = Array("MPF\0II".utf8) + little16(42) + little32(8) + little16(2)
        bytes += little16(0xB001) + little16(4) + little32(1) + little32(2)
        bytes += little16(0xB002) + little16(7) + little32(32) + little32(38) + little32(0)
        bytes += little32(0x30000) + little32(first) + little32(0) + little32(0)
        // The stream begins at offset 10 of the file.
        return bytes + little32(0) + little32(map.count) + little32(first - 10) + little32(0)
    }
    let first = JPEGFile.inserting(0xE2, index(0), into: base).count
    return JPEGFile.inserting(0xE2, index(first), into: base) + map
}

/// The map's file as an independent reader finds it, by the index and by the directory.
private func map(of file: [UInt8]) throws -> [UInt8] {
    func number(_ place: Int) -> Int { file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
    let index = try #require(file.firstRange(of: Array("MPF\0MM".utf8))).lowerBound + 4
    // Two pictures, listed behind 3 fields of 12 bytes.
    let entries = index + 8 + 2 + 36 + 4
    #expect(number(entries) == 0x30000 && number(entries + 8) == 0 && number(entries + 16) == 0)
    let (first, length, offset) = (number(entries + 4), number(entries + 20), number(entries + 24))
    #expect(first + length == file.count && index + offset == first)
    #expect(file[(first - 2)..<first].elementsEqual([0xFF, 0xD9]) && file.suffix(2) == [0xFF, 0xD9])
    let text = Array("Item:Semantic=\"GainMap\" Item:Length=\"\(length)\"".utf8)
    #expect(file[..<first].firstRange(of: text) != nil)
    #expect(file[..<first].firstRange(of: Array("urn:iso:std:iso:ts:21496:-1\0\0\0\0\0".utf8)) != nil)
    return Array(file[first...])
}

private func recipe(_ options: String, gainMap: Bool = true) throws -> Recipe {
    var recipe = try Recipe(canonical: options)
    (recipe.output, recipe.keepsGainMap) = (.format(.jpeg), gainMap)
    return recipe
}

/// A map of an eighth of the picture's size, bright where the picture is bright.
private func scene(_ width: Int, _ height: Int, _ x: Double, _ y: Double) -> UInt8 {
    let (across, down) = (x / Double(width), y / Double(height))
    return UInt8(30 + 130 * across + 60 * (down > 0.5 ? 1 : 0) + 30 * down)
}

@Suite struct GainMapKeptTests {
    /// Made once for all tests.
    private static let files = Result { () throws -> (base: [UInt8], map: [UInt8]) in
        let grey = Canvas(320, 240) { x, y in [scene(320, 240, Double(x), Double(y))] }
        let map = Canvas(40, 30) { x, y in [scene(320, 240, (Double(x) + 0.5) * 8, (Double(y) + 0.5) * 8)] }
        return (try jpeg(grey.band(0, times: 3)), try jpeg(map))
    }

    private let base: [UInt8]
    private let mapFile: [UInt8]

    init() throws {
        let files = try Self.files.get()
        (base, mapFile) = (files.base, files.map)
    }

    @Test(arguments: [true, false])
    func `the map is kept, as much smaller as it was, with its terms`(lane: Bool) throws {
        let made = try TestRenderer.render(joined(base, mapFile), recipe("q=80&w=160"), jpegLane: lane)
        let plain = try TestRenderer.render(base, recipe("q=80&w=160", gainMap: false), jpegLane: lane)
        #expect(made.isPlanar == lane)
        #expect(try TestRenderer.decode(made.bytes) == TestRenderer.decode(plain.bytes))
        let map = try map(of: made.bytes)
        let header = try ImageHeader.parse(map)
        #expect((header.width, header.height) == (20, 15))
        let text = String(decoding: map, as: UTF8.self)
        for term in attributes.split(separator: " ") { #expect(text.contains(term), "\(term)") }
        #expect(text.contains("hdrgm:OffsetSDR=\"0.015625\""))
        #expect(GainMap.find(in: UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
    }

    @Test(arguments: 1...8)
    func `it lies over the picture, however that is cut and turned`(orientation: Int) throws {
        let file = JPEGFile.withEXIF(EXIF.orientation(orientation), base)
        for options in [
            "w=160", "a=top-left&fit=cover&h=90&w=90", "fit=fill&h=64&w=160", "ro=90&w=160", "flip&w=160",
            "ch=60&cw=80&cx=33&cy=21&w=160", "a=right&fit=cover&flop&h=64&ro=270&w=144", "q=90",
            "a=bottom&fit=cover&h=60&preturn&ro=90&w=120",
        ] {
            for lane in [true, false] {
                let made = try TestRenderer.render(joined(file, mapFile), recipe(options), jpegLane: lane)
                let (picture, map) = (
                    try #require(try TestRenderer.decode(made.bytes)),
                    try #require(try TestRenderer.decode(map(of: made.bytes)))
                )
                #expect(abs(map.width * 8 - picture.width) <= 4 && abs(map.height * 8 - picture.height) <= 4)
                // A grey map, of which libvips may make three bands.
                let small = exact(picture, map.width, map.height)
                let (bands, ours) = (picture.bands, map.bands)
                let away = (0..<map.width * map.height).map {
                    abs(small[$0 * bands] - Double(map.samples[$0 * ours]))
                }
                // Except along the one edge across the picture.
                #expect(away.filter { $0 > 12 }.count <= map.width + map.height, "\(options)")
                #expect(away.reduce(0, +) / Double(away.count) < 5, "\(options)")
            }
        }
    }

    @Test func `it is left out where it would lie, and where there is no place for it`() throws {
        let file = joined(base, mapFile)
        for options in [
            "blur=2&w=160", "tint=red&w=160", "bri=10&w=160", "sharp=2&w=160", "ro=30&w=160",
            "radius=9&w=160",
            "a=attention&fit=cover&h=80&w=80", "fit=contain&h=80&w=160", "ch=60&cw=80&precrop&w=60",
            "trim=10&w=90",
        ] {
            let (with, without) = (
                try TestRenderer.render(file, recipe(options)),
                try TestRenderer.render(file, recipe(options, gainMap: false))
            )
            #expect(with.bytes == without.bytes, "\(options)")
        }
        for output in ["png", "webp", "avif"] {
            let recipes = try ["gainmap&output=\(output)&w=90", "output=\(output)&w=90"].map {
                try Recipe(canonical: $0).canonicalised
            }
            #expect(recipes[0] == recipes[1])
        }
    }

    @Test func `of three channels it is kept as long as the primaries are`() throws {
        let colours = try jpeg(Canvas(40, 30) { x, y in [UInt8(x * 6), UInt8(y * 8), 90] })
        let p3 = JPEGFile.withProfile(MatrixProfile.displayP3.file(), base)
        for (lane, options) in [(true, "w=160"), (false, "w=160"), (true, "blur=0.3&w=160")] {
            let isKept = !options.contains("blur")
            func has(_ file: [UInt8], _ more: String = "") throws -> Bool {
                let made = try TestRenderer.render(
                    file, recipe([more, options].filter { $0 != "" }.joined(separator: "&")), jpegLane: lane)
                return made.bytes.firstRange(of: GainMapTerms.isoName) != nil
            }
            #expect(try has(joined(base, colours)) == isKept)
            #expect(try !has(joined(p3, colours)))
            #expect(try has(joined(p3, mapFile)) == isKept)
        }
        let kept = try TestRenderer.render(
            joined(p3, colours), Recipe(canonical: "gainmap&output=jpg&profile=keep&w=160"))
        #expect(try ImageHeader.parse(map(of: kept.bytes)).width == 20)
        // The file contains the meaning of each channel.
        let three = try TestRenderer.render(
            joined(base, colours, xmp(attributes.replacing("hdrgm:GainMapMax=\"2.25\" ", with: ""), lists)),
            recipe("w=160"))
        let found = try three.bytes.withUnsafeBytes { try #require(GainMap.find(in: $0)) }
        #expect(found.terms.channels.map(\.most) == [1_000_000, 2_000_000, 3_000_000])
    }

    @Test func `the terms of ISO 21496-1 are read`() throws {
        func number(_ value: Int) -> [UInt8] { big32(value) }
        // No common denominator; negative numbers are in two's complement.
        var bytes = GainMapTerms.isoName + [0, 0, 0, 0, 0x40] + number(0) + number(1) + number(9) + number(4)
        bytes += number(-1) + number(2) + number(7) + number(2) + number(1) + number(1)
        bytes += number(1) + number(64) + number(0) + number(1)
        let made = try TestRenderer.render(joined(base, mapFile, bytes), recipe("w=160"))
        let text = try String(decoding: map(of: made.bytes), as: UTF8.self)
        for term in [
            "GainMapMin=\"-0.5\"", "GainMapMax=\"3.5\"", "HDRCapacityMax=\"2.25\"", "OffsetHDR=\"0\"",
        ] {
            #expect(text.contains(term))
        }
        // The brighter picture as the base, and no denominator.
        bytes[GainMapTerms.isoName.count + 4] = 0x44
        #expect(GainMapTerms(iso: bytes[GainMapTerms.isoName.count...]) == nil)
    }

    @Test func `terms come back from both of their spellings`() throws {
        var random = SeededRandom(for: "gain map terms")
        for _ in 0..<200 {
            let channels = (0..<(random.chance(50) ? 1 : 3)).map { _ in
                let least = Int.random(in: -64_000_000...64_000_000, using: &random)
                return GainMapTerms.Channel(
                    least: least, most: Int.random(in: least...64_000_000, using: &random),
                    gamma: Int.random(in: 1...64_000_000, using: &random),
                    baseOffset: Int.random(in: -64_000_000...64_000_000, using: &random), brightOffset: 0)
            }
            let terms = try #require(
                GainMapTerms(channels: channels, leastHeadroom: 5, fullHeadroom: 7_000_000))
            #expect(GainMapTerms(iso: terms.iso[GainMapTerms.isoName.count...]) == terms)
            #expect(GainMapTerms(xmp: terms.xmp[GainMapTerms.xmpName.count...]) == terms)
        }
    }

    @Test func `a map that only the directory names is found before the video of a motion photo`() throws {
        let map = JPEGFile.inserting(0xE1, xmp(attributes), into: mapFile)
        let (padding, video) = ([UInt8](repeating: 0, count: 8), [UInt8](repeating: 7, count: 3_000))
        let spaces =
            "hdrgm:Version=\"1.0\" xmlns:Container=\"\(GainMapNames.container)\" xmlns:Item=\"\(GainMapNames.item)\""
        let items = [
            "Item:Semantic=\"Primary\"",
            "Item:Semantic=\"GainMap\" Item:Length=\"\(map.count)\" Item:Padding=\"\(padding.count)\"",
            "Item:Semantic=\"MotionPhoto\" Item:Length=\"\(video.count)\"",
        ]
        let list = items.map { "<rdf:li><Container:Item \($0)/></rdf:li>" }.joined()
        let directory = xmp(spaces, "<Container:Directory><rdf:Seq>\(list)</rdf:Seq></Container:Directory>")
        let picture = JPEGFile.inserting(0xE1, directory, into: base)
        let place = picture.count..<picture.count + map.count
        // Some programs cut the video off and leave its entry.
        for file in [picture + map + padding + video, picture + map] {
            #expect(file.withUnsafeBytes { GainMap.find(in: $0)?.place } == place)
        }
    }

    @Test func `a map that is damaged, too large or without terms is left out`() throws {
        let recipe = try recipe("q=70&w=160")
        let plain = try TestRenderer.render(base, recipe).bytes
        let large = try jpeg(Canvas(330, 100, of: [9]))
        let odd = [
            joined(base, large), joined(base, Array(mapFile.dropLast(60))), joined(base, mapFile, xmp("")),
            joined(base, mapFile, xmp(attributes.replacing("2.3", with: "-1"))),
            joined(base, mapFile, xmp(attributes.replacing("False", with: "True"))),
            joined(base, mapFile, xmp(attributes.replacing("2.25", with: "nan"))), base + mapFile,
            Array(joined(base, mapFile).dropLast(mapFile.count)),
        ]
        for (index, file) in odd.enumerated() {
            #expect(try TestRenderer.render(file, recipe).bytes == plain, "\(index)")
        }
    }

    /// Segments of 4 bytes, of which 64 MiB would hold millions: no map is searched behind the first thousand.
    @Test func `a flood of segments costs no more than some of them`() throws {
        let flood = [[UInt8]](repeating: [0xFF, 0xE1, 0, 2], count: 200_000).flatMap(\.self)
        let wild = Array(base[..<2]) + flood + Array(base[2...])
        wild.withUnsafeBytes { #expect(JPEGSegments.all($0).count == 1024) }
        #expect(wild.withUnsafeBytes { GainMap.find(in: $0) } == nil)
    }

    @Test func `whatever the index and the terms say, a picture comes out`() throws {
        var random = SeededRandom(for: "gain map bytes")
        let file = joined(base, mapFile)
        let heads = [0..<80, (file.count - mapFile.count - 600)..<(file.count - mapFile.count + 40)]
        let recipe = try recipe("w=40")
        for _ in 0..<300 {
            var wild = file
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: heads[Int.random(in: 0...1, using: &random)], using: &random)
                wild[place] = UInt8.random(in: 0...255, using: &random)
            }
            guard let header = try? ImageHeader.parse(wild),
                let made = try? TestRenderer.render(wild, recipe, header: header)
            else { continue }
            #expect(made.bytes.suffix(2) == [0xFF, 0xD9])
        }
    }
}
