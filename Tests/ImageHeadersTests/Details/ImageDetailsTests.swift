// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import RandomInputs
import Testing

@Suite struct ImageDetailsTests {
    private func details(_ bytes: [UInt8]) throws -> ImageDetails {
        ImageDetails.parse(HeaderBytes(bytes), header: try ImageHeader.parse(bytes))
    }

    // MARK: Samples

    private static func frame(_ marker: UInt8, sampling: [UInt8], precision: UInt8 = 8) -> [UInt8] {
        var payload: [UInt8] = [precision, 0, 48, 0, 64, UInt8(sampling.count)]
        for (index, factors) in sampling.enumerated() { payload += [UInt8(index + 1), factors, 0] }
        return SampleHeaders.segment(marker, payload)
    }

    private static func jpeg(_ segments: [UInt8]...) -> [UInt8] {
        [0xFF, 0xD8] + segments.flatMap { $0 } + [0xFF, 0xDA, 0, 2]
    }

    private static func jfif(units: UInt8, density: Int) -> [UInt8] {
        SampleHeaders.segment(
            0xE0,
            Array("JFIF\0".utf8) + [1, 2, units] + SampleHeaders.big(density, 2)
                + SampleHeaders.big(density, 2)
                + [0, 0])
    }

    // MARK: Before anything is read

    @Test func `nothing known is eight bits of sRGB, and a header alone tells whether there is alpha`() {
        let unknown = ImageDetails()
        #expect((unknown.space, unknown.channels, unknown.depth) == (.srgb, 3, .uchar))
        #expect(!unknown.hasProfile && !unknown.isProgressive && unknown.delays.isEmpty)
        for format in ImageFormat.allCases {
            for hasAlpha in [false, true] {
                let header = ImageHeader(format: format, width: 1, height: 1, hasAlpha: hasAlpha)
                var expected = ImageDetails()
                expected.channels = hasAlpha ? 4 : 3
                #expect(ImageDetails(header) == expected, "\(format)")
            }
        }
    }

    @Test func `formats whose details nobody reads have those of their header`() {
        for format in [ImageFormat.svg, .bmp, .ico, .pdf] {
            let header = ImageHeader(format: format, width: 4, height: 3, hasAlpha: true)
            for bytes in SampleHeaders.all {
                #expect(ImageDetails.parse(HeaderBytes(bytes), header: header) == ImageDetails(header))
            }
        }
    }

    // MARK: JPEG

    @Test(
        arguments: [
            ([0x22, 0x11, 0x11], "4:2:0"), ([0x21, 0x11, 0x11], "4:2:2"), ([0x11, 0x11, 0x11], "4:4:4"),
            ([0x12, 0x11, 0x11], "4:4:0"), ([0x41, 0x11, 0x11], "4:1:1"), ([0x22, 0x22, 0x22], "4:4:4"),
            ([0x11, 0x11, 0x11, 0x11], "4:4:4:4"), ([0x22, 0x11, 0x11, 0x22], "4:2:0:4"), ([0x11], nil),
            ([0x22, 0x11], nil),
        ] as [([UInt8], String?)])
    func `a JPEG tells how its chroma is sampled`(sampling: [UInt8], expected: String?) throws {
        let found = try details(Self.jpeg(Self.frame(0xC0, sampling: sampling)))
        #expect(found.chromaSubsampling == expected)
        #expect(found.channels == sampling.count)
        #expect(found.space == (sampling.count < 3 ? .grey : sampling.count == 4 ? .cmyk : .srgb))
        #expect(!found.isProgressive)
    }

    @Test func `a JPEG tells its density, its profile and whether it is progressive`() throws {
        let icc = Array("ICC_PROFILE\0".utf8) + [1, 1] + SampleProfile.version4("Display P3")
        let found = try details(
            Self.jpeg(
                Self.jfif(units: 2, density: 118), SampleHeaders.segment(0xE2, icc),
                Self.frame(0xC2, sampling: [0x22, 0x11, 0x11])))
        #expect(found.density == 300)
        #expect(found.hasProfile)
        #expect(found.profile == "Display P3")
        #expect(found.isProgressive)
        let ratio = try details(
            Self.jpeg(Self.jfif(units: 0, density: 1), Self.frame(0xC0, sampling: [0x11])))
        #expect(ratio.density == nil)
    }

    // MARK: The others

    @Test func `a PNG tells its depth, its palette, its density and its profile`() throws {
        let density = SampleHeaders.chunk(
            "pHYs", SampleHeaders.big(2_835, 4) + SampleHeaders.big(2_835, 4) + [1])
        let profile = SampleHeaders.chunk("iCCP", Array("Grey Gamma\0\0xyz".utf8))
        let found = try details(SampleHeaders.png(colour: 6, before: density + profile))
        #expect(found.density == 72)
        #expect(found.profile == "Grey Gamma")
        #expect(found.channels == 4)
        #expect(found.depth == .uchar)
        #expect(try details(SampleHeaders.png(colour: 0)).space == .grey)
        #expect(try details(SampleHeaders.png(colour: 3)).paletteBits == 8)
    }

    @Test func `a GIF tells its timing`() throws {
        let loop: [UInt8] = [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 2, 0, 0]
        let control: [UInt8] = [0x21, 0xF9, 4, 0, 25, 0, 0, 0]
        let found = try details(
            SampleHeaders.gif(loop + control + SampleHeaders.gifFrame() + SampleHeaders.gifFrame() + [0x3B]))
        #expect(found.loop == 3)
        #expect(found.delays == [250, 0])
        let forever: [UInt8] = [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
        #expect(try details(SampleHeaders.gif(forever + SampleHeaders.gifFrame() + [0x3B])).loop == 0)
        #expect(try details(SampleHeaders.gif(SampleHeaders.gifFrame() + [0x3B])).loop == 1)
    }

    @Test func `a WebP tells its timing and its profile`() throws {
        let chunks =
            SampleHeaders.vp8x(flags: 0x22) + SampleHeaders.webpChunk("ICCP", SampleProfile.version2("sRGB"))
            + SampleHeaders.webpChunk("ANIM", [0, 0, 0, 0, 7, 0])
            + SampleHeaders.webpChunk("ANMF", Array(repeating: 0, count: 12) + [100, 0, 0, 0])
            + SampleHeaders.webpChunk("ANMF", Array(repeating: 0, count: 12) + [0, 1, 0, 0])
        let found = try details(SampleHeaders.webp(chunks))
        #expect(found.loop == 7)
        #expect(found.delays == [100, 256])
        #expect(found.profile == "sRGB")
    }

    // MARK: Damage

    @Test func `no damage traps, and none makes a picture of no sense`() {
        var random = SeededRandom(for: "details")
        let samples =
            SampleHeaders.all + [
                Self.jpeg(
                    Self.jfif(units: 1, density: 300),
                    SampleHeaders.segment(
                        0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1] + SampleProfile.version2("x")),
                    Self.frame(0xC0, sampling: [0x22, 0x11, 0x11]))
            ]
        for _ in 0..<8_000 {
            var bytes = samples.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 0...8, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert(contentsOf: random.bytes(4), at: index)
                default: bytes.removeSubrange(index..<min(index + 3, bytes.count))
                }
            }
            guard let header = try? ImageHeader.parse(bytes) else { continue }
            let found = ImageDetails.parse(HeaderBytes(bytes), header: header)
            #expect((0...255).contains(found.channels) && found.delays.count <= 10_000)
            #expect((found.profile?.count ?? 0) <= 64 && (found.density ?? 1) >= 1)
        }
    }
}
