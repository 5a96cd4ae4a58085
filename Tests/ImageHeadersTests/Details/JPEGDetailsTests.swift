// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

@Suite("A JPEG's details come from its segments, the first of a kind before the others")
struct JPEGDetailsTests {
    private typealias Sample = SampleHeaders

    private static let frame = Sample.segment(0xC0, [8, 0, 48, 0, 64, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])

    private func details(_ segments: [UInt8]...) throws -> ImageDetails {
        let start: [UInt8] = [0xFF, 0xD8]
        let bytes = start + segments.joined() + [0xFF, 0xDA, 0, 2]
        return ImageDetails.parse(HeaderBytes(bytes), header: try ImageHeader.parse(bytes))
    }

    private func jfif(units: UInt8, across: Int, down: Int = 1) -> [UInt8] {
        Sample.segment(
            0xE0,
            Array("JFIF\0".utf8) + [1, 2, units] + Sample.big(across, 2) + Sample.big(down, 2) + [0, 0])
    }

    private func exif(_ fields: [TIFFField], bigEndian: Bool = false) -> [UInt8] {
        Sample.exifSegment(TIFFField.stream(fields, bigEndian: bigEndian))
    }

    private func profile(_ name: String, part: UInt8 = 1) -> [UInt8] {
        Sample.segment(0xE2, Array("ICC_PROFILE\0".utf8) + [part, 2] + SampleProfile.version2(name))
    }

    // MARK: Density

    @Test(
        arguments: [
            (1, 72, 72), (1, 1, nil), (1, 65_535, 65_535), (1, 0, nil), (2, 100, 254), (2, 118, 300),
            (0, 72, nil),
            (3, 72, nil),
        ] as [(UInt8, Int, Int?)])
    func `JFIF tells dots an inch or a centimetre, or only a ratio`(units: UInt8, across: Int, expected: Int?)
        throws
    {
        #expect(try details(jfif(units: units, across: across), Self.frame).density == expected)
    }

    @Test(
        arguments: [
            (2, 300, 1, 300), (2, 720_000, 10_000, 72), (3, 100, 1, 254), (3, 1_181, 10, 300),
            (1, 72, 1, nil), (nil, 96, 1, 96), (2, 72, 0, nil), (2, 0, 1, nil), (2, 1, 2, nil),
            (2, 1_000_001, 1, nil), (2, 1_000_000, 1, 1_000_000),
        ] as [(Int?, Int, Int, Int?)])
    func `EXIF tells a fraction, an inch unless it says otherwise`(
        unit: Int?, numerator: Int, denominator: Int, expected: Int?
    ) throws {
        for bigEndian in [false, true] {
            let fields =
                [TIFFField.fraction(282, numerator, denominator)]
                + (unit.map { [TIFFField.short(296, [$0])] } ?? [])
            #expect(try details(exif(fields, bigEndian: bigEndian), Self.frame).density == expected)
        }
    }

    @Test func `the density is that across, and a fraction`() throws {
        let down = exif([.fraction(283, 300, 1)])
        #expect(try details(down, Self.frame).density == nil)
        let whole = exif([.short(282, [300])])
        #expect(try details(whole, Self.frame).density == nil)
        #expect(try details(jfif(units: 1, across: 72, down: 144), Self.frame).density == 72)
    }

    @Test func `JFIF's density counts before EXIF's, and its ratio does not`() throws {
        let other = exif([.fraction(282, 300, 1)])
        #expect(try details(jfif(units: 1, across: 72), other, Self.frame).density == 72)
        #expect(try details(jfif(units: 0, across: 1), other, Self.frame).density == 300)
        // 1 by 1 is a ratio, whatever its unit.
        #expect(try details(jfif(units: 1, across: 1), other, Self.frame).density == 300)
        #expect(try details(other, jfif(units: 1, across: 72), Self.frame).density == 72)
        #expect(try details(other, Self.frame).density == 300)
    }

    @Test func `segments of the same markers that are something else are passed over`() throws {
        let adobe = Sample.segment(0xE0, Array("JFXX\0".utf8) + [1, 2, 1, 0, 72, 0, 72, 0, 0])
        let xmp = Sample.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8))
        let preview = Sample.segment(0xE2, Array("MPF\0".utf8) + [UInt8](repeating: 0, count: 40))
        let found = try details(
            adobe, xmp, preview, exif([.fraction(282, 300, 1)]), profile("P3"), Self.frame)
        #expect(found.density == 300)
        #expect(found.profile == "P3")
        #expect(found.chromaSubsampling == "4:2:0")
    }

    // MARK: Profiles and frames

    @Test func `the first part of a profile has its name`() throws {
        #expect(try details(profile("first"), profile("second", part: 2), Self.frame).profile == "first")
        let empty = Sample.segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1])
        #expect(try details(empty, Self.frame).hasProfile == false)
        let short = Sample.segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1, 0])
        let found = try details(short, Self.frame)
        #expect(found.hasProfile && found.profile == nil)
    }

    @Test func `it is progressive by its frame, in Huffman and in arithmetic coding`() throws {
        for marker in UInt8(0xC0)...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker) {
            var frame = Self.frame
            frame[1] = marker
            let found = try details(frame)
            #expect(found.isProgressive == [0xC2, 0xC6, 0xCA, 0xCE].contains(marker), "\(marker)")
            #expect(found.channels == 3 && found.space == .srgb && found.depth == .uchar)
            #expect(found.chromaSubsampling == "4:2:0", "\(marker)")
        }
    }

    @Test(
        arguments: [
            (8, 1, ImageDetails.Space.grey, ImageDetails.Depth.uchar), (12, 1, .grey16, .ushort),
            (12, 3, .rgb16, .ushort), (8, 4, .cmyk, .uchar), (12, 4, .cmyk, .ushort), (8, 2, .grey, .uchar),
        ] as [(UInt8, UInt8, ImageDetails.Space, ImageDetails.Depth)])
    func `its frame tells the depth and the space`(
        bits: UInt8, count: UInt8, space: ImageDetails.Space, depth: ImageDetails.Depth
    ) throws {
        let components = (1...count).flatMap { [$0, 0x11, 0] as [UInt8] }
        let found = try details(Sample.segment(0xC1, [bits, 0, 48, 0, 64, count] + components))
        #expect(found.channels == Int(count))
        #expect((found.space, found.depth) == (space, depth))
    }

    @Test(
        arguments: [
            ([0x44, 0x22], "4:2:0"), ([0x42, 0x22], "4:2:2"), ([0x42, 0x11], "4:1:0"),
            ([0x41, 0x11], "4:1:1"),
            ([0x12, 0x11], "4:4:0"), ([0x11, 0x22], nil), ([0x31, 0x11], nil), ([0x13, 0x11], nil),
            // A factor of 0 must not divide.
            ([0x22, 0x00], "4:2:0"), ([0x00, 0x11], nil),
        ] as [([UInt8], String?)])
    func `the chroma's sampling is how often luma is finer`(factors: [UInt8], expected: String?) throws {
        let frame = Sample.segment(
            0xC0, [8, 0, 48, 0, 64, 3, 1, factors[0], 0, 2, factors[1], 1, 3, factors[1], 1])
        let found = try details(frame)
        #expect(found.chromaSubsampling == expected)
        if let expected { #expect(ImageDetails.subsamplings.contains(expected)) }
    }

    @Test func `what comes behind the first scan or the end is not looked at`() throws {
        let late = jfif(units: 1, across: 72)
        #expect(try details(Self.frame, [0xFF, 0xD9], late).density == nil)
        #expect(try details(Self.frame, [0xFF, 0xDA, 0, 2], late).density == nil)
        #expect(try details(Self.frame, late).density == 72)
    }

    /// Huffman tables, a reserved marker and arithmetic conditioning.
    @Test(arguments: [0xC4, 0xC8, 0xCC] as [UInt8])
    func `three markers among those of frames begin none`(marker: UInt8) throws {
        let other = Sample.segment(marker, [12, 0, 9, 0, 9, 1, 1, 0x11, 0])
        let found = try details(Self.frame, other)
        #expect(found == (try details(Self.frame)))
        #expect((found.channels, found.depth) == (3, .uchar))
    }
}
