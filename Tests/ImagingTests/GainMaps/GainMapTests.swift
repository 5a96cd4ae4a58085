// SPDX-License-Identifier: Apache-2.0
// Ultra HDR: a usual JPEG, and behind its end a second JPEG that says how much brighter each part may be shown. XMP, ISO
// 21496-1 and a multi-picture index (CIPA DC-007) announce it.

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

private let base = Canvas(96, 64) { x, y in [UInt8(x * 2), UInt8(y * 3), 140] }

private func jpeg(_ canvas: Canvas) throws -> [UInt8] {
    try TestRenderer.render(PNGFile.write(canvas), .make(.jpeg, q: 95)).bytes
}

private func withGainMap(_ file: [UInt8]) throws -> [UInt8] {
    let map = try jpeg(Canvas(24, 16, of: [200]))
    let xmp =
        "http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\"/>"
    let version = Array("urn:iso:std:iso:ts:21496:-1\0".utf8) + [0, 0, 0, 0]
    // Little-endian: version, number of pictures, and an entry of 16 bytes for each.
    let index: [UInt8] =
        Array("MPF\0II".utf8) + [42, 0, 8, 0, 0, 0, 3, 0] + [0, 0xB0, 7, 0, 4, 0, 0, 0] + Array("0100".utf8)
        + [1, 0xB0, 4, 0, 1, 0, 0, 0, 2, 0, 0, 0] + [2, 0xB0, 7, 0, 32, 0, 0, 0, 50, 0, 0, 0] + [0, 0, 0, 0]
        + [UInt8](repeating: 0, count: 32)
    var told = file
    for (marker, payload) in [(UInt8(0xE2), index), (0xE2, version), (0xE1, Array(xmp.utf8))] {
        told = JPEGFile.inserting(marker, payload, into: told)
    }
    return told + map
}

@Suite struct GainMapTests {
    @Test(arguments: [nil, 40] as [Int?], [ImageFormat.jpeg, .png, .webp])
    func `the base picture comes out, and nothing of the gain map`(w: Int?, format: ImageFormat) throws {
        let file = try jpeg(base)
        let told = try withGainMap(file)
        for lane in [true, false] {
            let recipe = Recipe.make(format, w: w)
            let plain = try TestRenderer.render(file, recipe, jpegLane: lane)
            let made = try TestRenderer.render(told, recipe, jpegLane: lane)
            #expect(made.bytes == plain.bytes && made.isPlanar == plain.isPlanar)
            #expect((made.result.width, made.result.height) == (plain.result.width, plain.result.height))
        }
    }

    @Test func `the original's own bytes are answered without it`() throws {
        var defaults = EncoderDefaults()
        defaults.keepsSmallerOriginal = false
        let meagre = try TestRenderer.render(PNGFile.write(base), .make(.jpeg, q: 10), defaults: defaults)
            .bytes
        #expect(try TestRenderer.render(withGainMap(meagre), .make(.jpeg, q: 95)).bytes == meagre)
    }

    @Test(arguments: ["MPF\0", "urn:iso", "http://ns"])
    func `what is told of it may be cut short`(name: String) throws {
        let file = try jpeg(base)
        let told = JPEGFile.inserting(name.hasPrefix("http") ? 0xE1 : 0xE2, Array(name.utf8), into: file)
        let recipe = Recipe.make(.png, w: 40)
        #expect(
            try TestRenderer.render(told + [0xFF, 0xD8, 0xFF], recipe).bytes
                == TestRenderer.render(file, recipe).bytes)
    }
}
