// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Testing

private let samples: [[UInt8]] = [
    [255, 255, 255], [0, 0, 0], [128, 128, 128], [200, 100, 50], [60, 160, 90], [40, 60, 180],
    [230, 210, 60],
]

/// A flat JPEG of this colour, 4:4:4 at the best quality, with a profile.
private func photo(_ colour: [UInt8], _ profile: [UInt8]?) throws -> [UInt8] {
    let jpeg = try TestRenderer.render(PNGFile.write(Canvas(32, 32, of: colour)), .make(.jpeg, q: 100)).bytes
    return profile.map { JPEGFile.withProfile($0, jpeg) } ?? jpeg
}

@Suite struct ColourTests {
    @Test(arguments: samples)
    func `colours of a wide profile arrive as sRGB`(colour: [UInt8]) throws {
        for profile in [MatrixProfile.displayP3, .adobeRGB] {
            let shown = try centre(photo(colour, profile.file()))
            #expect(distance(shown, profile.inSRGB(colour)) <= 3)
        }
    }

    @Test func `white stays white, with any profile and without`() throws {
        for profile in [
            MatrixProfile.displayP3.file(), MatrixProfile.adobeRGB.file(), MatrixProfile.sRGB.file(), nil,
        ] {
            #expect(try centre(photo([255, 255, 255], profile)) == [255, 255, 255])
        }
    }

    @Test(arguments: samples)
    func `a profile that says sRGB changes nothing`(colour: [UInt8]) throws {
        #expect(try centre(photo(colour, MatrixProfile.sRGB.file())) == centre(photo(colour, nil)))
    }

    @Test func `sRGB is known by its numbers`() {
        #expect(ICCProfile(MatrixProfile.sRGB.file())?.isSRGB == true)
        #expect(ICCProfile(MatrixProfile.displayP3.file())?.isSRGB == false)
        #expect(ICCProfile(MatrixProfile.adobeRGB.file())?.isSRGB == false)
        var gamma = MatrixProfile.sRGB
        gamma.curve = MatrixProfile.adobeRGB.curve
        #expect(ICCProfile(gamma.file())?.isSRGB == false)
        // The same curve, as a table of 1,024 entries.
        var table = MatrixProfile.sRGB
        let entries = (0..<1024).flatMap { big16(Int((decodeSRGB(Double($0) / 1023) * 65535).rounded())) }
        table.curve = Array("curv".utf8) + [0, 0, 0, 0] + big32(1024) + entries
        #expect(ICCProfile(table.file())?.isSRGB == true)
        #expect(ICCProfile(MatrixProfile.sRGB.file(space: "GRAY"))?.space == .grey)
    }

    @Test func `a profile with a long chain of calculations is no profile`() {
        // The elements share one set of curves, and these one curve.
        func profile(_ elements: Int, channels: Int = 3, segments: Int = 1) -> ICCProfile? {
            var file = [UInt8](repeating: 0, count: 128)
            file.replaceSubrange(16..<20, with: Array("RGB ".utf8))
            file.replaceSubrange(36..<40, with: Array("acsp".utf8))
            file += big32(1) + Array("D2B1".utf8) + big32(144) + big32(16)
            file += Array("mpet".utf8) + [0, 0, 0, 0, 0, 3, 0, 3] + big32(elements)
            for _ in 0..<elements { file += big32(16 + 8 * elements) + big32(12) }
            file += Array("cvst".utf8) + [0, 0, 0, 0] + big16(channels) + big16(channels)
            for _ in 0..<channels { file += big32(12 + 8 * channels) + big32(12) }
            file += Array("curf".utf8) + [0, 0, 0, 0] + big16(segments) + [0, 0]
            return ICCProfile(file)
        }
        #expect(profile(ICCProfile.mostElements)?.space == .rgb)
        #expect(profile(ICCProfile.mostElements + 1) == nil)
        #expect(profile(1, channels: 4)?.space == .rgb)
        #expect(profile(1, channels: 5) == nil)
        #expect(profile(2, channels: 4, segments: 512)?.space == .rgb)
        #expect(profile(2, channels: 4, segments: 513) == nil)
    }

    @Test func `a profile in pieces is no profile`() {
        let file = MatrixProfile.sRGB.file()
        #expect(ICCProfile([]) == nil)
        for length in stride(from: 0, to: file.count, by: 7) {
            // A truncated profile is read without a trap. The last curve ends 104 bytes before the end.
            let isSRGB = ICCProfile(Array(file.prefix(length)))?.isSRGB ?? false
            #expect(!isSRGB || length >= file.count - 104)
        }
    }

    @Test func `a profile that cannot be read is as good as none`() throws {
        var broken = MatrixProfile.displayP3.file()
        broken.replaceSubrange(132..., with: [UInt8](repeating: 0xEE, count: broken.count - 132))
        #expect(distance(try centre(photo([200, 100, 50], broken)), [200, 100, 50]) <= 3)
        // A profile for inks on a picture of light.
        let foreign = MatrixProfile.displayP3.file(space: "CMYK")
        #expect(distance(try centre(photo([200, 100, 50], foreign)), [200, 100, 50]) <= 3)
    }

    @Test func `a grey profile is applied and leaves grey`() throws {
        let grey = try TestRenderer.render(PNGFile.write(Canvas(32, 32, of: [128])), .make(.jpeg, q: 100))
            .bytes
        var gamma = MatrixProfile.adobeRGB
        gamma.light = { $0 }
        gamma.curve = Array("curv".utf8) + [0, 0, 0, 0] + big32(0)
        let shown = try centre(JPEGFile.withProfile(gamma.file(space: "GRAY"), grey))
        #expect(shown.count == 1)
        // Half of linear light is 188 in sRGB.
        #expect(distance(shown, [188]) <= 2)
        #expect(try distance(centre(grey), [128]) <= 1)
    }

    @Test func `sixteen bits become eight`() throws {
        let rows = (0..<64).flatMap { _ in [0xC8, 0x12, 0x64, 0x34, 0x32, 0x56] as [UInt8] }
        let png = PNGFile.write(width: 8, height: 8, depth: 16, colourType: 2, rows: rows)
        #expect(distance(try centre(png, .make(.png)), [200, 100, 50]) <= 1)
        let grey = PNGFile.write(
            width: 8, height: 8, depth: 16, colourType: 0,
            rows: (0..<64).flatMap { _ in [0x80, 0x33] as [UInt8] })
        #expect(distance(try centre(grey, .make(.png)), [128]) <= 1)
        let alpha = PNGFile.write(
            width: 8, height: 8, depth: 16, colourType: 4,
            rows: (0..<64).flatMap { _ in [0x80, 0x33, 0x40, 0] as [UInt8] })
        #expect(distance(try centre(alpha, .make(.png)), [128, 64]) <= 1)
    }

    @Test(arguments: [HEIFFile.twelveBits, HEIFFile.tenBits])
    func `ten and twelve bits become eight`(file: [UInt8]) throws {
        #expect(distance(try centre(file, .make(.png, w: 8)), [200, 100, 50]) <= 2)
    }

    @Test func `a HEIC has the range of its coding, though a box calls it limited`() throws {
        #expect(distance(try centre(HEIFFile.misstatedRange, .make(.png, w: 8)), [200, 100, 50]) <= 2)
    }

    @Test func `what belongs to two items of a HEIF hinders none of its pixels`() throws {
        #expect(distance(try centre(HEIFFile.sharedMetadata, .make(.png, w: 8)), [200, 100, 50]) <= 2)
        #expect(distance(try centre(HEIFFile.sharedAuxiliary, .make(.png, w: 8)), [240, 120, 60]) <= 4)
    }

    @Test(arguments: [HEIFFile.twelveBits, HEIFFile.tenBits])
    func `a HEIF may leave the size of its box of items open`(file: [UInt8]) throws {
        var open = file
        let name = try #require(file.firstRange(of: Array("meta".utf8)))
        open.replaceSubrange(name.lowerBound - 4..<name.lowerBound, with: [0, 0, 0, 0])
        #expect(distance(try centre(open, .make(.png, w: 8)), [200, 100, 50]) <= 2)
    }

    @Test func `grey stays grey, with alpha and without`() throws {
        #expect(try centre(PNGFile.write(Canvas(32, 32, of: [77]))) == [77])
        #expect(try centre(PNGFile.write(Canvas(32, 32, of: [77, 200]))) == [77, 200])
        let jpeg = try TestRenderer.render(PNGFile.write(Canvas(32, 32, of: [77, 200])), .make(.jpeg, w: 16))
        // On white: 77 × 200/255 + 255 × 55/255.
        #expect(distance(try centre(jpeg.bytes, .make(.png)), [115]) <= 2)
    }

    @Test func `Lab becomes sRGB`() throws {
        // L* 53.2, a* 80, b* 67 is sRGB's red, as libvips interprets Lab; TIFF stores a* and b* as signed
        // bytes.
        let tiff = TIFFFile.write([
            .init(
                width: 8, height: 8, bits: [8, 8, 8], photometric: 8,
                samples: Array(repeating: [136, 80, 67], count: 64).flatMap { $0 })
        ])
        let shown = try centre(tiff, .make(.png))
        #expect(distance(shown, [255, 0, 0]) <= 16, "\(shown)")
    }

    @Test(arguments: [0, 40, 127, 128, 200, 254] as [UInt8])
    func `alpha beside Lab stays as it is`(alpha: UInt8) throws {
        let deep: [UInt8] = [136, 0, 80, 0, 67, 0, alpha, alpha]
        for (bits, pixel) in [(8, [136, 80, 67, alpha]), (16, deep)] {
            let tiff = TIFFFile.write([
                .init(
                    width: 8, height: 8, bits: [bits, bits, bits, bits], photometric: 8,
                    samples: Array(repeating: pixel, count: 64).flatMap { $0 })
            ])
            let shown = try centre(tiff, .make(.png))
            #expect(shown.last == alpha, "\(bits): \(shown)")
            #expect(alpha == 0 || distance(Array(shown.prefix(3)), [255, 0, 0]) <= 16, "\(bits): \(shown)")
        }
    }
}
