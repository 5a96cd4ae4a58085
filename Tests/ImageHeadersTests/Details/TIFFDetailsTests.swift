// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import RandomInputs
import Testing

@Suite("A TIFF's details come from the fields of its first directory")
struct TIFFDetailsTests {
    private static let size = [TIFFField.short(256, [64]), .short(257, [48])]

    private func details(_ fields: [TIFFField], bigEndian: Bool = false, big64: Bool = false) throws
        -> ImageDetails
    {
        let bytes = TIFFField.stream(Self.size + fields, bigEndian: bigEndian, big64: big64)
        let header = try ImageHeader.parse(bytes)
        #expect((header.width, header.height) == (64, 48))
        return ImageDetails.parse(HeaderBytes(bytes), header: header)
    }

    /// Bits, samples, photometric interpretation.
    @Test(
        arguments: [
            (8, 1, 1, 1, ImageDetails.Space.grey, ImageDetails.Depth.uchar), (16, 1, 1, 1, .grey16, .ushort),
            (1, 1, 0, 1, .grey, .uchar), (8, 2, 1, 2, .grey, .uchar), (8, 3, 2, 3, .srgb, .uchar),
            (16, 3, 2, 3, .rgb16, .ushort), (9, 3, 2, 3, .rgb16, .ushort), (8, 4, 2, 4, .srgb, .uchar),
            (8, 4, 5, 4, .cmyk, .uchar), (16, 5, 5, 5, .cmyk, .ushort), (8, 64, 2, 64, .srgb, .uchar),
            (8, 65, 2, 64, .srgb, .uchar), (8, 65_535, 5, 64, .cmyk, .uchar),
        ] as [(Int, Int, Int, Int, ImageDetails.Space, ImageDetails.Depth)])
    func `its samples tell the channels, the depth and the space`(
        bits: Int, samples: Int, photometric: Int, channels: Int, space: ImageDetails.Space,
        depth: ImageDetails.Depth
    ) throws {
        for (bigEndian, big64) in [(false, false), (false, true), (true, false), (true, true)] {
            // A number of bits for each sample; from three on they do not fit into the entry.
            let found = try details(
                [
                    .short(258, Array(repeating: bits, count: min(samples, 9))), .short(262, [photometric]),
                    .short(277, [samples]),
                ], bigEndian: bigEndian, big64: big64)
            #expect(found.channels == channels)
            #expect((found.space, found.depth) == (space, depth))
            #expect(found.paletteBits == nil)
        }
    }

    @Test func `without these fields it is one sample of one bit`() throws {
        let found = try details([])
        #expect((found.channels, found.space, found.depth) == (1, .grey, .uchar))
        #expect(found.density == nil && !found.hasProfile)
    }

    @Test(arguments: [(1, 1), (4, 4), (8, 8), (16, 16), (17, 16), (255, 16)])
    func `a palette's colours have three channels of eight bits`(bits: Int, expected: Int) throws {
        let found = try details([.short(258, [bits]), .short(262, [3]), .short(277, [1])])
        #expect((found.channels, found.space, found.depth) == (3, .srgb, .uchar))
        #expect(found.paletteBits == expected)
    }

    @Test(arguments: [(1, ImageDetails.Depth.ushort), (2, .ushort), (3, .float), (4, .ushort)])
    func `samples may be floating-point numbers`(format: Int, depth: ImageDetails.Depth) throws {
        #expect(try details([.short(258, [32]), .short(277, [1]), .short(339, [format])]).depth == depth)
    }

    @Test(
        arguments: [
            (2, 300, 1, 300), (3, 100, 1, 254), (nil, 72, 1, 72), (2, 1, 0, nil), (2, 600, 2, 300),
            (1, 600, 2, nil), (9, 72, 1, nil),
        ] as [(Int?, Int, Int, Int?)])
    func `its density is a fraction with a unit`(unit: Int?, numerator: Int, denominator: Int, expected: Int?)
        throws
    {
        let fields =
            [TIFFField.fraction(282, numerator, denominator)] + (unit.map { [.short(296, [$0])] } ?? [])
        for (bigEndian, big64) in [(false, false), (true, false), (false, true), (true, true)] {
            #expect(try details(fields, bigEndian: bigEndian, big64: big64).density == expected)
        }
    }

    @Test func `a number may be of any whole type`() throws {
        for field in [TIFFField.byte(277, [3]), .short(277, [3]), .long(277, [3])] {
            #expect(try details([field]).channels == 3)
        }
        #expect(try details([TIFFField(tag: 277, type: 16, size: 8, values: [3])], big64: true).channels == 3)
        // Other types, and no value, count as no number.
        for field in [TIFFField.raw(277, [3]), .fraction(277, 3, 1), .short(277, [])] {
            #expect(try details([field]).channels == 1)
        }
    }

    @Test func `a profile is a field of bytes`() throws {
        let profile = SampleProfile.version2("Adobe RGB (1998)")
        for field in [TIFFField.raw(34_675, profile), .byte(34_675, profile.map(Int.init))] {
            let found = try details([field])
            #expect(found.hasProfile)
            #expect(found.profile == "Adobe RGB (1998)")
        }
        #expect(try !details([.short(34_675, [1, 2, 3])]).hasProfile)
        #expect(try details([.raw(34_675, [1, 2, 3, 4])]).profile == nil)
    }

    @Test func `a field whose values do not lie in the file is none`() throws {
        for field in [
            TIFFField(tag: 277, type: 3, size: 2, values: [3, 3, 3], count: 4_000),
            TIFFField(tag: 277, type: 16, size: 8, values: [3, 3], count: Int.max),
        ] {
            #expect(try details([field], big64: true).channels == 1)
        }
    }

    @Test func `what was found before the damage stays`() throws {
        var bytes = TIFFField.stream(Self.size + [.short(258, [8]), .short(262, [2]), .short(277, [3])])
        let whole = ImageDetails.parse(HeaderBytes(bytes), header: try ImageHeader.parse(bytes))
        #expect(whole.channels == 3)
        bytes.replaceSubrange(4..<8, with: [0, 0, 0, 0])
        let header = ImageHeader(format: .tiff, width: 64, height: 48)
        #expect(ImageDetails.parse(HeaderBytes(bytes), header: header) == ImageDetails(header))
        bytes.replaceSubrange(4..<8, with: SampleHeaders.little(bytes.count, 4))
        #expect(ImageDetails.parse(HeaderBytes(bytes), header: header) == ImageDetails(header))
    }
}
