// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

/// A bitmap of runs with the palette `BitmapFile.palette`.
private func file(_ width: Int, _ height: Int, _ bits: Int, _ runs: [UInt8]) -> [UInt8] {
    let dib =
        BitmapFile.header(width, height, bits, compression: bits == 8 ? 1 : 2) + BitmapFile.palette(bits)
    return BitmapFile.bmp(dib + runs, rowsAt: dib.count)
}

/// The indices, rows from the top.
private func shown(_ file: [UInt8]) throws -> [[UInt8]] {
    let made = try #require(try TestRenderer.decode(TestRenderer.render(file, .make(.png)).bytes))
    return (0..<made.height).map { y in (0..<made.width).map { made[$0, y][1] } }
}

@Suite struct BitmapRunTests {
    @Test func `8 bits: runs, single pixels, padded, and ends of rows; the lowest row comes first`() throws {
        let runs: [UInt8] = [3, 7, 2, 9, 0, 0, 0, 3, 1, 2, 3, 0, 0, 0, 0, 4, 6, 5, 4, 3, 1, 8, 0, 1]
        #expect(
            try shown(file(5, 3, 8, runs)) == [[6, 5, 4, 3, 8], [1, 2, 3, 0, 0], [7, 7, 7, 9, 9]])
    }

    @Test func `4 bits: two indices by turns, and two a byte`() throws {
        let runs: [UInt8] = [5, 0x12, 0, 0, 0, 5, 0x34, 0x56, 0x70, 0, 0, 0, 0, 3, 0x89, 0xA0, 2, 0xBC, 0, 1]
        #expect(
            try shown(file(5, 3, 4, runs)) == [[8, 9, 10, 11, 12], [3, 4, 5, 6, 7], [1, 2, 1, 2, 1]])
    }

    @Test func `what is passed over has the first colour`() throws {
        let runs: [UInt8] = [1, 5, 0, 2, 2, 1, 2, 6, 0, 1]
        #expect(try shown(file(5, 3, 8, runs)) == [[0, 0, 0, 0, 0], [0, 0, 0, 6, 6], [5, 0, 0, 0, 0]])
    }

    @Test func `the mark of the end may be missing`() throws {
        #expect(try shown(file(2, 2, 8, [2, 1, 0, 0, 2, 2])) == [[2, 2], [1, 1]])
        #expect(try shown(file(2, 2, 8, [2, 1, 0, 0, 2, 2, 0, 0])) == [[2, 2], [1, 1]])
    }

    @Test(
        arguments: [
            [], [2], [2, 1], [2, 1, 0, 0, 1, 2], [0, 3, 1], [0, 2, 1], [0, 2, 3, 0, 0, 1],
            [0, 2, 0, 2, 0, 1], [0, 2, 255, 255, 0, 1],
        ] as [[UInt8]])
    func `runs that break off or leave the picture are damage`(runs: [UInt8]) throws {
        guard case .damaged = try TestRenderer.failure(file(2, 2, 8, runs), .make(.png)) else {
            Issue.record("\(runs) were shown")
            return
        }
    }

    @Test(
        arguments: [
            [3, 1, 0, 0, 2, 2], [2, 1, 1, 9, 0, 0, 2, 2, 0, 1], [0, 3, 1, 1, 1, 0, 0, 0, 9, 2],
        ] as [[UInt8]])
    func `what runs have beyond the end of a row is dropped`(runs: [UInt8]) throws {
        #expect(try shown(file(2, 2, 8, runs)) == [[2, 2], [1, 1]])
    }

    @Test func `an index behind the palette is damage`() throws {
        var bytes = file(2, 1, 8, [2, 9, 0, 1])
        bytes.replaceSubrange(46..<50, with: [4, 0, 0, 0])
        guard case .damaged = try TestRenderer.failure(bytes, .make(.png)) else {
            Issue.record("it was shown")
            return
        }
    }

    @Test func `no bytes make it read beyond them`() throws {
        var random = Lehmer(state: 7)
        for _ in 0..<300 {
            let count = Int.random(in: 0...60, using: &random)
            let runs = (0..<count).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...4, using: &random) : UInt8.random(in: 0...255, using: &random)
            }
            for bits in [4, 8] {
                let bytes = file(9, 9, bits, runs)
                bytes.dropFirst(14).withUnsafeBytes { dib in
                    let bitmap = try? DeviceBitmap(dib, pixels: dib.count - runs.count)
                    let samples = try? bitmap?.rgb()
                    #expect(samples == nil || samples?.count == 9 * 9 * 3)
                }
            }
        }
    }
}
