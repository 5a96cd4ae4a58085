// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import RandomInputs
import Testing

@Suite("A header's reader tells what is there, and fails for what is not")
struct HeaderReaderTests {
    private func reader(_ bytes: [UInt8], budget: Int = HeaderReader.budget) -> HeaderReader {
        HeaderReader(HeaderBytes(bytes), budget: budget)
    }

    @Test func `numbers have either byte order and one to eight bytes`() throws {
        var reader = reader([0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09])
        #expect(try reader.big16(at: 1) == 0x0203)
        #expect(try reader.big32(at: 1) == 0x0203_0405)
        #expect(try reader.little16(at: 1) == 0x0302)
        #expect(try reader.little24(at: 1) == 0x04_0302)
        #expect(try reader.little32(at: 1) == 0x0504_0302)
        #expect(try reader.number(at: 0, size: 8, bigEndian: true) == 0x0102_0304_0506_0708)
        #expect(try reader.number(at: 1, size: 8, bigEndian: false) == 0x0908_0706_0504_0302)
        #expect(try reader.number(at: 8, size: 1, bigEndian: true) == 9)
    }

    @Test func `a number that no Int holds is the greatest one`() throws {
        var reader = reader(
            [0x80] + [UInt8](repeating: 0, count: 7) + [0x7F] + [UInt8](repeating: 0xFF, count: 7))
        #expect(try reader.number(at: 0, size: 8, bigEndian: true) == .max)
        #expect(try reader.number(at: 8, size: 8, bigEndian: true) == .max)
        #expect(try reader.number(at: 0, size: 8, bigEndian: false) == 0x80)
    }

    @Test func `nothing is read before the start or behind the end`() {
        var reader = reader([1, 2, 3, 4])
        for offset in [-1, 4, 5, Int.max, Int.min] {
            #expect(throws: ImageHeaderError.damaged) { try reader.byte(at: offset) }
            #expect(throws: ImageHeaderError.damaged) {
                try reader.number(at: offset, size: 2, bigEndian: true)
            }
        }
        #expect(throws: ImageHeaderError.damaged) { try reader.big16(at: 3) }
        #expect(throws: ImageHeaderError.damaged) { try reader.big32(at: 1) }
        for (offset, count) in [(0, 5), (4, 1), (5, 0), (-1, 1), (2, 3), (Int.max, 1), (1, Int.max)] {
            #expect(throws: ImageHeaderError.damaged) { try reader.bytes(at: offset, count: count) }
        }
    }

    @Test func `bytes may reach to the end, and be none`() throws {
        var reader = reader([1, 2, 3, 4])
        #expect(try reader.bytes(at: 0, count: 4) == [1, 2, 3, 4])
        #expect(try reader.bytes(at: 2, count: 2) == [3, 4])
        #expect(try reader.bytes(at: 4, count: 0).isEmpty)
        #expect(try reader.prefix(3) == [1, 2, 3])
        #expect(try reader.prefix(9) == [1, 2, 3, 4])
    }

    @Test func `a text that does not fit is not there, which is no damage`() throws {
        var reader = reader(Array("RIFFdata".utf8))
        #expect(try reader.has("RIFF", at: 0))
        #expect(try reader.has("data", at: 4))
        #expect(try !reader.has("data", at: 5))
        #expect(try !reader.has("RIFX", at: 0))
        for offset in [-1, 8, 9, Int.max] { #expect(try !reader.has("RIFF", at: offset), "\(offset)") }
        #expect(try reader.has("", at: 8))
    }

    @Test func `blocks are loaded as they are needed, there and back`() throws {
        let bytes = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var reader = reader(bytes)
        var random = SeededRandom(for: "blocks")
        for offset in [0, 16_383, 16_384, 16_383, 49_999, 32_768, 0] {
            #expect(try reader.byte(at: offset) == bytes[offset])
        }
        for _ in 0..<500 {
            let offset = Int.random(in: 0..<49_990, using: &random)
            #expect(try reader.bytes(at: offset, count: 10) == Array(bytes[offset..<offset + 10]))
        }
    }

    @Test func `a source that is shorter than it says is damaged`() {
        struct Cut: HeaderSource {
            let length = 100
            func read(at offset: Int, count: Int) -> [UInt8] { [1, 2, 3] }
        }
        var reader = HeaderReader(Cut())
        #expect(throws: Never.self) { try reader.byte(at: 2) }
        #expect(throws: ImageHeaderError.damaged) { try reader.byte(at: 3) }
    }

    @Test func `what is loaded and what is looked at count against the budget`() throws {
        let bytes = [UInt8](repeating: 7, count: 40_000)
        // The budget is a block and three bytes.
        var reader = reader(bytes, budget: 16_384 + 3)
        for _ in 0..<3 { #expect(try reader.byte(at: 5) == 7) }
        #expect(reader.isExhausted)
        #expect(throws: ImageHeaderError.damaged) { try reader.byte(at: 5) }
        var wide = self.reader(bytes, budget: 2 * 16_384 + 3)
        #expect(try wide.byte(at: 0) == 7)
        #expect(!wide.isExhausted)
        #expect(try wide.byte(at: 20_000) == 7)
        #expect(!wide.isExhausted)
        #expect(try wide.byte(at: 20_001) == 7)
        #expect(wide.isExhausted)
    }

    @Test func `four blocks that are read by turns are loaded once`() throws {
        let bytes = [UInt8](repeating: 7, count: 5 * 16_384)
        for (blocks, isEnough) in [(1, true), (2, true), (4, true), (5, false)] {
            var reader = self.reader(bytes, budget: 4 * 16_384 + 30_000)
            for index in 0..<400 where !reader.isExhausted {
                #expect(try reader.byte(at: index % blocks * 16_384 + index) == 7)
            }
            #expect(reader.isExhausted != isEnough, "\(blocks)")
        }
    }

    @Test func `bytes are looked at so often, although few are loaded`() throws {
        var reader = reader([1, 2])
        for _ in 1..<HeaderReader.mostLooks { _ = try reader.byte(at: 1) }
        #expect(!reader.isExhausted)
        #expect(try reader.byte(at: 0) == 1)
        #expect(reader.isExhausted)
        #expect(throws: ImageHeaderError.damaged) { try reader.byte(at: 0) }
    }
}
