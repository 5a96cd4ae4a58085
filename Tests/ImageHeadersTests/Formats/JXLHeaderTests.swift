// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Testing

struct JXLHeaderTests {
    /// A codestream of these fields: a number and its bits each.
    private func stream(_ fields: (Int, Int)...) -> [UInt8] { stream(fields) }

    private func stream(_ fields: [(Int, Int)]) -> [UInt8] {
        var bits: [Int] = []
        for (value, count) in fields { bits += (0..<count).map { value >> $0 & 1 } }
        while bits.count % 8 > 0 { bits.append(0) }
        let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
            UInt8((0..<8).reduce(0) { $0 | bits[start + $1] << $1 })
        }
        return [0xFF, 0x0A] + bytes
    }

    private func box(_ name: String, _ payload: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(8 + payload.count)] + Array(name.utf8) + payload
    }

    private let signature: [UInt8] = [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]

    private func size(_ file: [UInt8]) throws -> [Int] {
        let header = try ImageHeader.parse(file)
        #expect(header.format == .jxl)
        return [header.width, header.height]
    }

    @Test func `the size is that of the codestream`() throws {
        #expect(try size(stream((0, 1), (1, 2), (599, 13), (0, 3), (1, 2), (799, 13), (1, 1))) == [800, 600])
        #expect(try size(stream((0, 1), (0, 2), (299, 9), (5, 3), (1, 1))) == [533, 300])
        #expect(try size(stream((1, 1), (7, 5), (0, 3), (31, 5), (1, 1))) == [256, 64])
        #expect(try size(stream((1, 1), (7, 5), (7, 3), (1, 1))) == [128, 64])
        let largest = (1 << 30) - 1
        #expect(
            try size(stream((0, 1), (3, 2), (largest - 1, 30), (1, 3), (1, 1))) == [largest, largest])
    }

    @Test func `a picture that lies on its side is told upright`() throws {
        let lying = stream((1, 1), (7, 5), (7, 3), (0, 1), (1, 1), (5, 3))
        #expect(try size(lying) == [64, 128])
        let turned = stream((1, 1), (7, 5), (7, 3), (0, 1), (1, 1), (2, 3))
        #expect(try size(turned) == [128, 64])
    }

    @Test func `extra channels are alpha, behind whatever fields`() throws {
        let size = [(1, 1), (7, 5), (7, 3)]
        let eightBits = [(0, 1), (0, 2), (1, 1)]
        let sixteenBits = [(0, 1), (3, 2), (15, 6), (1, 1)]
        let float = [(1, 1), (3, 2), (15, 6), (4, 4), (1, 1)]
        let intrinsic = [(1, 1), (1, 1), (3, 5), (0, 3), (4, 5)]
        let preview = [(1, 1), (0, 1), (1, 2), (200, 8), (1, 3)]
        let animation = [(1, 1), (2, 2), (1000, 10), (0, 2), (3, 2), (7, 16), (9, 16), (1, 1)]
        let none = [(0, 1)]
        let plain = [(0, 1), (0, 1)]
        func fields(_ parts: [(Int, Int)]...) -> [(Int, Int)] {
            [(0, 1), (1, 1), (0, 3)] + parts.flatMap(\.self)
        }
        for front in [
            plain, fields(none, none, none), fields(intrinsic, none, none), fields(none, preview, none),
            fields(none, none, animation), fields(intrinsic, preview, animation),
        ] {
            for (depth, isDeep) in [(eightBits, false), (sixteenBits, true), (float, true)] {
                for (channels, hasAlpha) in [([(0, 2)], false), ([(1, 2)], true), ([(2, 2), (1, 4)], true)] {
                    let file = stream(size + front + depth + channels + [(0, 30)])
                    let header = try ImageHeader.parse(file)
                    #expect((header.hasAlpha, header.isDeep) == (hasAlpha, isDeep))
                    #expect(header.isDecodable == (channels.count == 1))
                }
            }
        }
        let usual = try ImageHeader.parse(stream(size + [(1, 1)]))
        #expect(!usual.hasAlpha && !usual.isDeep, "all default")
        #expect(try ImageHeader.parse(stream(size + plain)).hasAlpha, "it ends before it says so")
    }

    @Test func `black is no channel that is read, and others are`() throws {
        let start = [(1, 1), (7, 5), (7, 3), (0, 1), (0, 1), (0, 1), (0, 2), (1, 1)]
        func isDecodable(_ channels: (Int, Int)...) throws -> Bool {
            try ImageHeader.parse(stream(start + channels + [(0, 30)])).isDecodable
        }
        #expect(try isDecodable((1, 2), (1, 1)), "alpha, by default")
        #expect(try isDecodable((1, 2), (0, 1), (0, 2)), "alpha")
        #expect(try isDecodable((1, 2), (0, 1), (1, 2)), "depth")
        #expect(try !isDecodable((1, 2), (0, 1), (2, 2), (2, 4)), "black")
        #expect(try !isDecodable((2, 2), (0, 4), (1, 1), (1, 1)), "two")
        #expect(try ImageHeader.parse(stream(start + [(1, 2)])).isDecodable, "it ends before it says so")
    }

    @Test func `in boxes it is found behind the others, whole or in parts`() throws {
        let bare = stream((1, 1), (7, 5), (7, 3), (1, 1))
        let type = box("ftyp", Array("jxl ".utf8) + [0, 0, 0, 0])
        #expect(try size(signature + type + box("jxlc", bare)) == [128, 64])
        #expect(
            try size(signature + type + box("jxll", [5]) + box("jxlp", [0, 0, 0, 0] + bare)) == [128, 64])
        let long: [UInt8] = [0, 0, 0, 1] + Array("jxlc".utf8) + [0, 0, 0, 0, 0, 0, 0, 60] + bare
        #expect(try size(signature + type + long) == [128, 64])
    }

    @Test func `the parts of a codestream stand one behind the other, wherever it is cut`() throws {
        let sixteenBits = [(0, 1), (0, 1), (0, 1), (3, 2), (15, 6), (1, 1)]
        let bare = stream([(1, 1), (7, 5), (7, 3)] + sixteenBits + [(1, 2), (1, 1), (0, 30)])
        let whole = try ImageHeader.parse(bare)
        #expect(whole.isDeep && whole.hasAlpha)
        let type = box("ftyp", Array("jxl ".utf8) + [0, 0, 0, 0])
        for cut in 0...bare.count {
            let first = box("jxlp", [0, 0, 0, 0] + bare.prefix(cut))
            let second = box("jxlp", [0x80, 0, 0, 1] + bare.dropFirst(cut))
            #expect(try ImageHeader.parse(signature + type + first + second) == whole, "\(cut)")
            let between = box("free", [1, 2, 3])
            #expect(try ImageHeader.parse(signature + type + first + between + second) == whole, "\(cut)")
        }
        for stub in [box("jxlp", []), box("jxlp", [0, 0]), box("jxlc", [])] {
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(signature + type + stub) }
        }
    }

    @Test func `a header whose rest is behind the boxes that are looked at is damaged`() throws {
        let twoChannels = [(1, 1), (7, 5), (7, 3), (0, 1), (0, 1), (0, 1), (0, 2), (1, 1), (2, 2), (0, 4)]
        let bare = stream(twoChannels) + [UInt8](repeating: 0, count: 64)
        let start = signature + box("ftyp", Array("jxl ".utf8) + [0, 0, 0, 0])
        // The first part contains the size, but not the number of channels.
        let first = box("jxlp", [0, 0, 0, 0] + bare.prefix(4))
        let last = box("jxlp", [0x80, 0, 0, 1] + bare.dropFirst(4))
        for (count, isRead) in [(0, true), (60, true), (61, false), (99, false)] {
            let empty = [UInt8](repeatElement(box("jxlp", [0, 0, 0, 1]), count: count).joined())
            let header = try? ImageHeader.parse(start + first + empty + last)
            #expect(header?.isDecodable == (isRead ? false : nil), "\(count)")
        }
    }

    @Test func `what ends early, or has no codestream, is damaged`() {
        let bare = stream((0, 1), (1, 2), (599, 13), (0, 3), (1, 2), (799, 13), (1, 1))
        let boxed = signature + box("ftyp", []) + box("jxlc", bare)
        for count in 2..<bare.count - 1 {
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(Array(bare.prefix(count))) }
        }
        for count in 12..<boxed.count - 2 {
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(Array(boxed.prefix(count))) }
        }
        for size in [0, 7] as [UInt8] {
            let file = signature + [0, 0, 0, size] + Array("free".utf8)
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(file + [0, 0, 0, 0]) }
        }
        let endless = signature + [0, 0, 0, 1] + Array("free".utf8) + [UInt8](repeating: 0xFF, count: 8)
        #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(endless) }
    }

    @Test func `a codestream is looked for in as many boxes as real files have`() throws {
        let codestream = SampleHeaders.box("jxlc", [0xFF, 0x0A, 0x41, 2])
        let bare = try ImageHeader.parse([0xFF, 0x0A, 0x41, 2])
        let start = SampleHeaders.box("JXL ", [0x0D, 0x0A, 0x87, 0x0A])
        for (count, isFound) in [(0, true), (1, true), (62, true), (63, false), (64, false)] {
            let others = [UInt8](repeatElement(SampleHeaders.box("free", []), count: count).joined())
            let header = try? ImageHeader.parse(start + others + codestream)
            #expect(header == (isFound ? bare : nil), "\(count)")
        }
    }
}
