// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import RandomInputs
import Testing

struct ByteRangeTests {
    @Test(
        arguments: [
            ("bytes=0-499", ByteRange.positions(first: 0, last: 499)),
            ("bytes=500-999", .positions(first: 500, last: 999)),
            ("bytes=-500", .suffix(500)), ("bytes=9500-", .positions(first: 9500, last: nil)),
            ("bytes=0-0", .positions(first: 0, last: 0)), ("bytes=-1", .suffix(1)), ("bytes=-0", .suffix(0)),
            ("BYTES=0-1", .positions(first: 0, last: 1)), ("Bytes=0-", .positions(first: 0, last: nil)),
            (" bytes=0-1 ", .positions(first: 0, last: 1)), ("bytes= 0-1", .positions(first: 0, last: 1)),
            ("bytes=,0-1", .positions(first: 0, last: 1)), ("bytes=0-1,", .positions(first: 0, last: 1)),
            ("bytes=0-1 , ,", .positions(first: 0, last: 1)), ("bytes=00-007", .positions(first: 0, last: 7)),
            ("bytes=0-99999999999999999999999999", .positions(first: 0, last: .max)),
            ("bytes=-99999999999999999999999999", .suffix(.max)),
            ("bytes=99999999999999999999-", .positions(first: .max, last: nil)),
        ] as [(String, ByteRange)])
    func `one range of bytes`(text: String, expected: ByteRange) {
        #expect(ByteRange(text) == expected)
    }

    @Test(
        arguments: [
            "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=0-1x", "bytes=0", "bytes=1-0",
            "bytes=0 - 1",
            "bytes =0-1",
            "items=0-1", "bytes:0-1", "bytes=0-1,2-3", "bytes=0-1, 2-3", "bytes=-1,-2", "bytes=--1",
            "bytes=0--1",
            "bytes=+0-1", "bytes=0x0-1", "bytes=0-1;x", "0-1", "=0-1", "bytes=0-1-2", "bytes=,", "octets=0-",
        ])
    func `several ranges, other units and nonsense are not one range`(text: String) {
        #expect(ByteRange(text) == nil)
    }

    @Test(
        arguments: [
            (ByteRange.positions(first: 0, last: 499), 10_000, ByteRange.Selection.part(0..<500)),
            (.positions(first: 9_500, last: nil), 10_000, .part(9_500..<10_000)),
            (.suffix(500), 10_000, .part(9_500..<10_000)),
            (.positions(first: 0, last: 0), 10_000, .part(0..<1)),
            (.positions(first: 0, last: 10_000), 10_000, .part(0..<10_000)),
            (.positions(first: 9_999, last: 9_999), 10_000, .part(9_999..<10_000)),
            (.positions(first: 10_000, last: nil), 10_000, .unsatisfiable),
            (.positions(first: .max, last: .max), 10_000, .unsatisfiable),
            (.positions(first: 5, last: .max), 10_000, .part(5..<10_000)),
            (.suffix(.max), 10_000, .part(0..<10_000)),
            (.suffix(10_000), 10_000, .part(0..<10_000)),
            (.suffix(0), 10_000, .unsatisfiable),
            (.suffix(1), 1, .part(0..<1)),
            (.positions(first: 0, last: nil), 0, .unsatisfiable),
            (.suffix(5), 0, .whole),
            (.suffix(0), 0, .unsatisfiable),
        ] as [(ByteRange, Int, ByteRange.Selection)])
    func `a range is cut to the length`(range: ByteRange, length: Int, expected: ByteRange.Selection) {
        #expect(range.resolve(length: length) == expected)
    }

    @Test(
        arguments: [
            (nil, nil, ByteRange.Selection.whole),
            ("bytes=0-1", nil, .part(0..<2)),
            ("bytes=0-1,3-4", nil, .whole),
            ("bytes=100-", nil, .unsatisfiable),
            ("bytes=0-1", #""a""#, .part(0..<2)),
            ("bytes=0-1", #""b""#, .whole),
            ("bytes=0-1", #"W/"a""#, .whole),
            ("bytes=0-1", "a", .whole),
            ("bytes=0-1", #""a", "b""#, .whole),
            ("bytes=0-1", "Sun, 06 Nov 1994 08:49:37 GMT", .whole),
            ("bytes=100-", #""b""#, .whole),
            ("bytes=100-", #""a""#, .unsatisfiable),
        ] as [(String?, String?, ByteRange.Selection)])
    func `If-Range decides whether the range counts`(
        range: String?, ifRange: String?, expected: ByteRange.Selection
    ) {
        let tag = EntityTag(opaque: "a")
        #expect(ByteRange.select(range: range, ifRange: ifRange, tag: tag, length: 100) == expected)
    }

    @Test func `a weak tag never joins parts`() {
        let tag = EntityTag(opaque: "a", isWeak: true)
        #expect(ByteRange.select(range: "bytes=0-1", ifRange: #"W/"a""#, tag: tag, length: 9) == .whole)
        #expect(ByteRange.select(range: "bytes=0-1", ifRange: #""a""#, tag: tag, length: 9) == .whole)
        #expect(ByteRange.select(range: "bytes=0-1", ifRange: #""a""#, tag: nil, length: 9) == .whole)
    }

    @Test func `Content-Range counts its last byte in`() {
        #expect(ByteRange.contentRange(0..<500, of: 1234) == "bytes 0-499/1234")
        #expect(ByteRange.contentRange(734..<1234, of: 1234) == "bytes 734-1233/1234")
        #expect(ByteRange.contentRange(unsatisfiedOf: 47_022) == "bytes */47022")
    }

    @Test func `no bytes make the parser trap, and a part always lies inside`() {
        var random = SeededRandom(for: "ByteRange")
        var parts = 0
        for _ in 0..<50_000 {
            let bytes = Array("bytes=".utf8) + random.fieldBytes(limit: 24, alphabet: "0123456789-, ")
            guard let range = bytes.withUnsafeBytes(ByteRange.parse) else { continue }
            let length = Int.random(in: 0...1_000, using: &random)
            if case .part(let part) = range.resolve(length: length) {
                parts += 1
                #expect(
                    !part.isEmpty && part.lowerBound >= 0 && part.upperBound <= length, "seed \(random.seed)")
            }
        }
        #expect(parts > 0, "seed \(random.seed)")
    }
}
