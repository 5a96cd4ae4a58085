// SPDX-License-Identifier: Apache-2.0

import CEncoders
import Glibc
import ImageHeaders
import LibJPEG
import PixelReference
import RandomInputs
import Recipes
import Testing

@Suite("A JPEG leaves out what costs more bytes than it shows")
struct JPEGBytesTests {
    private static let picture = photograph(320, 288)
    private static let file = PNGFile.write(picture)

    /// The bytes, and the likeness to the picture.
    private static func made(_ quality: Int) throws -> (bytes: Int, likeness: Double) {
        let file = try TestRenderer.render(Self.file, .make(.jpeg, q: quality)).bytes
        let canvas = try #require(try TestRenderer.decode(file))
        return (file.count, try TestRenderer.likeness(picture, canvas))
    }

    /// Compared with libjpeg's files with the tables of `for_rounding` and rounding.
    @Test(
        .enabled(if: cjpeg_has_trellis(), "this libjpeg has no place for the trellis"),
        arguments: [(60, 6_781, 0.732), (75, 10_133, 0.803), (85, 14_971, 0.856)]
    )
    func `a photograph has fewer bytes than by rounding, and its look`(
        quality: Int, bytes: Int, likeness: Double
    ) throws {
        let made = try Self.made(quality)
        #expect(made.bytes < bytes * 9 / 10, "\(made)")
        #expect(made.likeness > likeness - 0.016, "\(made)")
    }

    @Test func `more quality is more bytes and more likeness, also where rounding begins`() throws {
        let files = try [10, 30, 50, 70, 80, 89, 90, 95].map(Self.made)
        #expect(files.map(\.bytes) == files.map(\.bytes).sorted(), "\(files)")
        #expect(files.map(\.likeness) == files.map(\.likeness).sorted(), "\(files)")
    }

    /// Their DC coefficients are the largest possible.
    @Test(arguments: [UInt8(0), 255], [10, 50, 80, 87, 88, 89, 100])
    func `black and white stay as they are`(level: UInt8, quality: Int) throws {
        let canvas = Canvas(24, 24) { _, _ in [level, level, level] }
        let file = try TestRenderer.render(PNGFile.write(canvas), .make(.jpeg, q: quality)).bytes
        let copy = try #require(try TestRenderer.decode(file))
        #expect(copy[12, 12].allSatisfy { abs(Int($0) - Int(level)) <= 2 }, "\(copy[12, 12])")
    }

    /// Noise has many different symbols, and blocks that do not end in zeros.
    @Test(arguments: [20, 80, 88, 95, 100])
    func `its Huffman codes are those that libjpeg makes`(quality: Int) throws {
        var random = SeededRandom(for: "codes of JPEGs, q \(quality)")
        func next(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        for _ in 0..<24 {
            let (width, height, bands) = (1 + next(70), 1 + next(70), next(3) == 0 ? 1 : 3)
            let (noise, slope) = (1 + next(2) * next(255), next(4))
            let canvas = Canvas(width, height) { x, y in
                (0..<bands).map { _ in UInt8(clamping: (x + y) * slope + next(noise)) }
            }
            let file = try TestRenderer.render(PNGFile.write(canvas), .make(.jpeg, q: quality)).bytes
            var count = 0
            let copy = try #require(libjpeg_optimised(file, file.count, &count))
            defer { free(copy) }
            #expect(file == Array(UnsafeBufferPointer(start: copy, count: count)), "\(width) × \(height)")
        }
    }

    /// The encoder itself fills up the last blocks of a row and of the picture.
    @Test func `a picture of any size comes out as it was`() throws {
        var random = SeededRandom(for: "JPEGs of any size")
        func next(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        for _ in 0..<40 {
            let (width, height, bands) = (1 + next(40), 1 + next(40), next(2) == 0 ? 1 : 3)
            let slopes = (next(4), next(4))
            let canvas = Canvas(width, height) { x, y in
                Array(repeating: UInt8(40 + x * slopes.0 + y * slopes.1 / 2), count: bands)
            }
            let quality = 60 + next(30)
            let file = try TestRenderer.render(PNGFile.write(canvas), .make(.jpeg, q: quality)).bytes
            let copy = try #require(try TestRenderer.decode(file))
            #expect((copy.width, copy.height) == (width, height))
            for y in 0..<height {
                for x in 0..<width {
                    let (before, after) = (Int(canvas[x, y][0]), Int(copy[x, y][0]))
                    #expect(abs(before - after) <= 12, "\(width) × \(height), q \(quality)")
                }
            }
        }
    }
}
