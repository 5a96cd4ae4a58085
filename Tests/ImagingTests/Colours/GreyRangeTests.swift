// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

/// Grey AVIFs of 16 × 16, the left half black and the right half white. libaom made the AV1.
private enum GreyAVIF {
    static let limited = unit("180cffd844", "44200000508c9e7be8d0ab80")
    static let full = unit("180cffd854", "44200000508c9cbc139b2880")
    static let limitedDeep = unit("180cffd8c4", "44200000508c9e67c762ceb8")
    static let fullDeep = unit("180cffd8d4", "44200000508c9ca70769b288")

    /// Temporal delimiter, sequence header, frame.
    private static func unit(_ sequence: String, _ frame: String) -> [UInt8] {
        [0x12, 0] + [0x0A, UInt8(sequence.utf8.count / 2)] + bytes(sequence)
            + [0x32, UInt8(frame.utf8.count / 2)] + bytes(frame)
    }

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        big32(content.count + 8) + Array(type.utf8) + content
    }

    /// - Parameter isFull: the range in the colour box; nil for no box.
    static func write(_ picture: [UInt8], isDeep: Bool, isFull: Bool?) -> [UInt8] {
        let colr = isFull.map { box("colr", Array("nclx".utf8) + [0, 1, 0, 13, 0, 1, $0 ? 0x80 : 0]) } ?? []
        let ispe = box("ispe", [0, 0, 0, 0] + big32(16) + big32(16))
        let av1C = box("av1C", [0x81, 0, isDeep ? 0x5C : 0x1C, 0])
        let pixi = box("pixi", [0, 0, 0, 0, 1, isDeep ? 10 : 8])
        let indices: [UInt8] = [1, 0x82, 3] + (isFull == nil ? [] : [4])
        let ipma = box("ipma", [0, 0, 0, 0] + big32(1) + big16(1) + [UInt8(indices.count)] + indices)
        let iprp = box("iprp", box("ipco", ispe + av1C + pixi + colr) + ipma)
        let hdlr = box("hdlr", big32(0) + big32(0) + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
        let pitm = box("pitm", big32(0) + big16(1))
        let iinf = box(
            "iinf",
            big32(0) + big16(1) + box("infe", [2, 0, 0, 0] + big16(1) + big16(0) + Array("av01".utf8) + [0]))
        let ftyp = box("ftyp", Array("avif".utf8) + big32(0) + Array("avifmif1miaf".utf8))
        func meta(_ place: Int) -> [UInt8] {
            let extent = big16(1) + big32(place) + big32(picture.count)
            let iloc = box("iloc", big32(0) + [0x44, 0] + big16(1) + big16(1) + big16(0) + extent)
            return box("meta", big32(0) + hdlr + pitm + iloc + iinf + iprp)
        }
        return ftyp + meta(ftyp.count + meta(0).count + 8) + box("mdat", picture)
    }
}

@Suite struct GreyRangeTests {
    @Test(arguments: [false, true], [nil, false, true] as [Bool?])
    func `black is 0 and white is 255, whatever range a grey AVIF has`(isDeep: Bool, told: Bool?) throws {
        for isFull in told.map({ [$0] }) ?? [false, true] {
            let picture =
                isDeep
                ? isFull ? GreyAVIF.fullDeep : GreyAVIF.limitedDeep
                : isFull ? GreyAVIF.full : GreyAVIF.limited
            let file = GreyAVIF.write(picture, isDeep: isDeep, isFull: told)
            let made = try #require(try TestRenderer.decode(TestRenderer.render(file, .make(.png)).bytes))
            #expect(made.size == PixelSize(width: 16, height: 16))
            #expect(distance(Array(made[2, 8].prefix(1)), [0]) <= 2, "\(made[2, 8])")
            #expect(distance(Array(made[13, 8].prefix(1)), [255]) <= 2, "\(made[13, 8])")
        }
    }
}
