// SPDX-License-Identifier: Apache-2.0

@testable import DecoderProtocol
import RandomInputs
import Testing

@Suite("A message's fields are written one behind the other, and read the same way")
struct WireFieldTests {
    /// The bytes that `put` writes behind version and kind.
    private func written(_ put: (inout WireWriter) -> Void) -> [UInt8] {
        var writer = WireWriter(.job)
        put(&writer)
        return Array(writer.bytes.dropFirst(2))
    }

    private func reader(_ bytes: [UInt8]) throws -> WireReader {
        try #require(WireReader.open([Wire.version, Wire.Kind.job.rawValue] + bytes)).reader
    }

    @Test func `a message begins with its version and its kind`() {
        let kinds: [(Wire.Kind, UInt8)] = [
            (.handshake, 1), (.job, 2), (.made, 3), (.refused, 4), (.question, 5), (.finding, 6),
            (.fork, 7), (.forked, 8), (.go, 9),
        ]
        for (kind, number) in kinds {
            #expect(WireWriter(kind).bytes == [Wire.version, number])
            #expect(WireReader.open([Wire.version, number])?.kind == kind)
            for version in [0, Wire.version - 1, Wire.version + 1, 255] {
                #expect(WireReader.open([version, number]) == nil)
            }
        }
        for number in [UInt8(0), 10, 255] { #expect(WireReader.open([Wire.version, number]) == nil) }
        for bytes in [[], [3]] as [[UInt8]] { #expect(WireReader.open(bytes) == nil) }
    }

    @Test func `a message may be as long as its bound, and no longer`() {
        for (limit, bound) in [(Wire.longestMessage, 4_608), (Wire.longestFinding, 41_000)] {
            #expect(limit == bound)
            let longest = [Wire.version, 2] + [UInt8](repeating: 0, count: limit - 2)
            #expect(WireReader.open(longest, limit: limit) != nil)
            #expect(WireReader.open(longest + [0], limit: limit) == nil)
        }
        #expect(WireReader.open([Wire.version, 2] + [UInt8](repeating: 0, count: 4_607)) == nil)
    }

    @Test func `numbers are little-endian, of the width of their field`() throws {
        #expect(written { $0.put(UInt8(0xAB)) } == [0xAB])
        #expect(written { $0.put(UInt16(0x0102)) } == [2, 1])
        #expect(written { $0.put(UInt64(0x0102_0304_0506_0708)) } == [8, 7, 6, 5, 4, 3, 2, 1])
        var reader = try reader([1, 2, 1, 4, 3, 2, 1, 8, 7, 6, 5, 4, 3, 2, 1])
        #expect(reader.number(UInt8.self) == 1)
        #expect(reader.number(UInt16.self) == 0x0102)
        #expect(reader.number(UInt32.self) == 0x0102_0304)
        #expect(!reader.isAtEnd)
        #expect(reader.number(UInt64.self) == 0x0102_0304_0506_0708)
        #expect(reader.isAtEnd)
        #expect(reader.number(UInt8.self) == nil)
    }

    @Test(
        arguments: [
            (-1, [0, 0]), (Int.min, [0, 0]), (0, [0, 0]), (258, [2, 1]), (65_535, [255, 255]),
            (65_536, [255, 255]),
            (Int.max, [255, 255]),
        ] as [(Int, [UInt8])])
    func `a count that its field cannot hold is the nearest that it can`(count: Int, bytes: [UInt8]) {
        #expect(written { $0.put(count, as: UInt16.self) } == bytes)
    }

    @Test func `a number is held against its range`() throws {
        for (bytes, range, expected) in [
            ([5, 0], 5...5, 5), ([5, 0], 0...4, nil), ([5, 0], 6...9, nil), ([0, 1], 0...255, nil),
            ([255, 255], 0...65_535, 65_535), ([5], 0...9, nil),
        ] as [([UInt8], ClosedRange<Int>, Int?)] {
            var reader = try reader(bytes)
            #expect(reader.integer(UInt16.self, in: range) == expected, "\(bytes)")
        }
        var large = try reader([UInt8](repeating: 0xFF, count: 8))
        #expect(large.integer(UInt64.self, in: 0...Int.max) == nil)
        var greatest = try reader([UInt8](repeating: 0xFF, count: 7) + [0x7F])
        #expect(greatest.integer(UInt64.self, in: 0...Int.max) == .max)
    }

    @Test func `a flag is nought or one`() throws {
        #expect(written { $0.put(true) } == [1])
        #expect(written { $0.put(false) } == [0])
        for (bytes, expected) in [([0], false), ([1], true), ([2], nil), ([255], nil), ([], nil)]
            as [([UInt8], Bool?)]
        {
            var reader = try reader(bytes)
            #expect(reader.flag() == expected)
        }
    }

    @Test(arguments: [
        ("", 9, ""), ("abc", 3, "abc"), ("abc", 2, "ab"), ("abc", 0, ""), ("é", 2, "é"), ("é", 1, ""),
        ("aé", 2, "a"), ("€", 3, "€"), ("€", 2, ""), ("€uro", 4, "€u"), ("🦊", 4, "🦊"), ("🦊", 3, ""),
        ("a🦊b", 5, "a🦊"), ("a🦊b", 4, "a"), ("e\u{301}", 2, "e"),
    ])
    func `a text that is too long is cut where a character begins`(text: String, limit: Int, expected: String)
        throws
    {
        let bytes = written { $0.put(text, limit: limit) }
        #expect(bytes == [UInt8(expected.utf8.count), 0] + Array(expected.utf8))
        var reader = try reader(bytes)
        #expect(reader.text(limit: limit)?.unicodeScalars.elementsEqual(expected.unicodeScalars) == true)
        #expect(reader.isAtEnd)
    }

    @Test func `a text is UTF-8, all there, and within its bound`() throws {
        for (bytes, limit, expected) in [
            ([2, 0, 0x61, 0x62], 2, "ab"), ([2, 0, 0x61, 0x62], 1, nil), ([2, 0, 0x61], 9, nil),
            ([2], 9, nil),
            ([1, 0, 0xFF], 9, nil), ([2, 0, 0xC0, 0xAF], 9, nil), ([3, 0, 0xED, 0xA0, 0x80], 9, nil),
            ([], 9, nil),
            ([0, 0], 0, ""),
        ] as [([UInt8], Int, String?)] {
            var reader = try reader(bytes)
            #expect(reader.text(limit: limit) == expected, "\(bytes)")
        }
    }

    @Test func `a text with a length of two bytes is read whole`() throws {
        let text = String(repeating: "x", count: 300)
        let bytes = written { $0.put(text, limit: 400) }
        #expect(bytes.prefix(2) == [44, 1])
        var reader = try reader(bytes + [7])
        #expect(reader.text(limit: 300) == text)
        #expect(reader.number(UInt8.self) == 7)
    }

    @Test func `whatever is written is read back`() throws {
        var random = SeededRandom(for: "wire fields")
        for _ in 0..<3_000 {
            let number = UInt64.random(in: 0...UInt64.max, using: &random)
            let text = String(
                (0..<Int.random(in: 0...9, using: &random)).map { _ in
                    "aé€🦊".randomElement(using: &random) ?? "a"
                })
            let flag = random.chance(50)
            let bytes = written {
                $0.put(UInt32(truncatingIfNeeded: number))
                $0.put(text, limit: 64)
                $0.put(flag)
                $0.put(number)
            }
            var reader = try reader(bytes)
            #expect(reader.number(UInt32.self) == UInt32(truncatingIfNeeded: number))
            #expect(reader.text(limit: 64) == text)
            #expect(reader.flag() == flag)
            #expect(reader.number(UInt64.self) == number)
            #expect(reader.isAtEnd)
        }
    }
}
