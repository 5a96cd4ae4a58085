// SPDX-License-Identifier: Apache-2.0

@testable import Imaging
import PixelReference
import Testing

private let samples: [[UInt8]] = [
    [128, 128, 128], [200, 100, 50], [60, 160, 90], [40, 60, 180], [230, 210, 60], [20, 20, 24],
    [250, 250, 240],
]

private func shown(_ colour: [UInt8], _ query: String) throws -> [UInt8] {
    try picture(Canvas(8, 8, of: colour), query)[3, 3]
}

@Suite struct ToneTests {
    @Test(arguments: samples)
    func `greyscale is the luminance, in one band`(colour: [UInt8]) throws {
        // libvips rounds sRGB's luminance weights to tenths.
        let light = zip([0.2, 0.7, 0.1], colour).map { $0 * decodeSRGB(Double($1) / 255) }.reduce(0, +)
        let expected = UInt8((encodeSRGB(light) * 255).rounded())
        #expect(distance(try shown(colour, "filt=greyscale"), [expected]) <= 1)
        #expect(try shown(colour + [90], "filt=greyscale").last == 90)
    }

    @Test(arguments: samples)
    func `sepia is a matrix of the colours`(colour: [UInt8]) throws {
        let c = colour.map(Double.init)
        let luma = [1.2, 1, 0.8].map { $0 * (0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]) }
        let expected = luma.map { UInt8(min($0, 255).rounded()) }
        #expect(distance(try shown(colour, "filt=sepia"), expected) <= 1)
        #expect(distance(try shown(colour + [50], "filt=sepia"), expected + [50]) <= 1)
        // Grey takes the filter's colour.
        #expect(try shown([100], "filt=sepia") == [120, 100, 80])
    }

    @Test func `duotone runs from one colour to the other through Lab`() throws {
        let query = "filt=duotone&start=204060&stop=f0e0a0"
        #expect(distance(try shown([0, 0, 0], query), [0x20, 0x40, 0x60]) <= 1)
        #expect(distance(try shown([255, 255, 255], query), [0xF0, 0xE0, 0xA0]) <= 1)
        let middle = try shown([128, 128, 128], query)
        let ends = zip(Lab.of([0x20, 0x40, 0x60]), Lab.of([0xF0, 0xE0, 0xA0]))
        let expected = ends.map { $0 + ($1 - $0) * 128 / 255 }
        #expect(zip(Lab.of(middle), expected).allSatisfy { abs($0 - $1) < 1 })
        #expect(try shown([0, 0, 0, 70], query).last == 70)
    }

    @Test(arguments: samples)
    func `a tint keeps the lightness and gives its own hue and chroma`(colour: [UInt8]) throws {
        let (before, made) = (Lab.of(colour), Lab.of(try shown(colour, "tint=704214")))
        let tint = Lab.of([0x70, 0x42, 0x14])
        // Near the ends of the scale, sRGB has no room for the chroma.
        guard (20...85).contains(before[0]) else { return }
        #expect(abs(made[0] - before[0]) < 3, "\(colour) became \(made)")
        #expect(abs(made[1] - tint[1]) < 4 && abs(made[2] - tint[2]) < 6, "\(colour) became \(made)")
        #expect(try shown(colour + [33], "tint=704214").last == 33)
    }

    @Test(arguments: samples)
    func `modulation scales lightness and chroma and turns the hue, in LCh`(colour: [UInt8]) throws {
        let before = Lab.of(colour)
        let darker = Lab.of(try shown(colour, "mod=0.5"))
        #expect(abs(darker[0] - before[0] / 2) < 2.5)
        let dull = Lab.of(try shown(colour, "sat=0.5"))
        #expect(abs(dull[1] - before[1] / 2) < 1.5 && abs(dull[2] - before[2] / 2) < 1.5)
        let turned = Lab.of(try shown(colour, "mod=1,0.4,180"))
        #expect(abs(turned[1] + before[1] * 0.4) < 4 && abs(turned[2] + before[2] * 0.4) < 4)
        #expect(distance(try shown(colour, "hue=360"), colour) == 0)
        #expect(try shown(colour + [60], "mod=0.9").last == 60)
    }

    @Test(arguments: ["mod=0.9,0.5,40", "sharp=1"])
    func `colours beside alpha change as those of an opaque picture do`(query: String) throws {
        for colour in samples {
            #expect(try shown(colour + [60], query) == shown(colour, query) + [60], "\(colour)")
        }
    }

    @Test func `grey has no hue`() throws {
        #expect(try shown([90], "hue=120") == [90])
        #expect(try shown([90, 40], "sat=3") == [90, 40])
    }
}
