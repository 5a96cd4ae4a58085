// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

@Suite("An AVIF's details come from its properties")
struct ISOMediaDetailsTests {
    private typealias Sample = SampleHeaders

    private func details(_ properties: [[UInt8]]) throws -> ImageDetails {
        let bytes = Sample.heif(properties: [Sample.ispe(640, 480)] + properties)
        return ImageDetails.parse(HeaderBytes(bytes), header: try ImageHeader.parse(bytes))
    }

    private static func pixi(_ bits: [UInt8]) -> [UInt8] {
        Sample.box("pixi", [0, 0, 0, 0, UInt8(bits.count)] + bits)
    }

    private static func colr(_ kind: String, _ content: [UInt8]) -> [UInt8] {
        Sample.box("colr", Array(kind.utf8) + content)
    }

    @Test(
        arguments: [
            ([8, 8, 8], false, 3, ImageDetails.Space.srgb, ImageDetails.Depth.uchar),
            ([10, 10, 10], false, 3, .rgb16, .ushort), ([8], false, 1, .grey, .uchar),
            ([12], false, 1, .grey16, .ushort),
            ([8, 8, 8], true, 4, .srgb, .uchar), ([8], true, 2, .grey, .uchar),
            ([8, 8, 8, 8], false, 4, .srgb, .uchar),
            ([8, 8, 8, 8, 8], false, 4, .srgb, .uchar), ([9, 8, 8], false, 3, .rgb16, .ushort),
        ] as [([UInt8], Bool, Int, ImageDetails.Space, ImageDetails.Depth)])
    func `the bits of its channels`(
        bits: [UInt8], alpha: Bool, channels: Int, space: ImageDetails.Space, depth: ImageDetails.Depth
    ) throws {
        let found = try details([Self.pixi(bits)] + (alpha ? [Sample.alphaProperty] : []))
        #expect(found.channels == channels)
        #expect((found.space, found.depth) == (space, depth))
    }

    @Test func `the first bits are the picture's, and later ones its alpha's`() throws {
        let found = try details([Self.pixi([10, 10, 10]), Self.pixi([8]), Sample.alphaProperty])
        #expect((found.channels, found.space) == (4, .rgb16))
    }

    @Test func `without a word about them it has three channels, or four`() throws {
        #expect(try details([]).channels == 3)
        #expect(try details([Sample.alphaProperty]).channels == 4)
    }

    @Test func `a profile of either kind is told, and code points are none`() throws {
        for kind in ["prof", "rICC"] {
            let found = try details([Self.colr(kind, SampleProfile.version4("Display P3"))])
            #expect(found.hasProfile)
            #expect(found.profile == "Display P3")
        }
        let points = Self.colr("nclx", [0, 1, 0, 13, 0, 6, 0x80])
        #expect(try !details([points]).hasProfile)
        #expect(try details([points, Self.colr("prof", SampleProfile.version2("P3"))]).profile == "P3")
    }

    @Test func `the first profile is the picture's`() throws {
        let both = [
            Self.colr("prof", SampleProfile.version2("one")),
            Self.colr("prof", SampleProfile.version2("two")),
        ]
        #expect(try details(both).profile == "one")
        let nameless = try details([
            Self.colr("prof", [1, 2, 3]), Self.colr("prof", SampleProfile.version2("two")),
        ])
        #expect(nameless.hasProfile && nameless.profile == nil)
    }

    @Test func `an empty colour box is no profile`() throws {
        #expect(try !details([Self.colr("prof", [])]).hasProfile)
        #expect(try details([Self.colr("prof", [0])]).hasProfile)
        #expect(try !details([Sample.box("colr", [])]).hasProfile)
    }
}
