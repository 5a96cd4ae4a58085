// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import Testing

@Suite("Ranges, weights and pauses are those that a list of their bytes or thousandths gives")
struct SmallNumberTests {
    // MARK: Ranges

    /// The bytes that a range requests, one by one (RFC 9110 §14.1.2); nil if it requests none.
    private func reference(_ range: ByteRange, length: Int) -> [Int]? {
        let all = Array(0..<length)
        switch range {
        case .positions(let first, let last):
            let wanted = all.filter { $0 >= first && $0 <= last ?? .max }
            return wanted.isEmpty ? nil : wanted
        case .suffix(0): return nil
        case .suffix(let count): return Array(all.suffix(count))
        }
    }

    @Test func `each range of each short representation is its bytes`() {
        for length in 0...6 {
            var ranges = (0...8).map { ByteRange.suffix($0) }
            for first in 0...7 {
                ranges.append(.positions(first: first, last: nil))
                ranges += (first...8).map { .positions(first: first, last: $0) }
            }
            for range in ranges {
                let bytes = reference(range, length: length)
                switch range.resolve(length: length) {
                case .unsatisfiable: #expect(bytes == nil, "\(range) of \(length)")
                case .whole: #expect(length == 0 && bytes == [], "\(range)")
                case .part(let part):
                    #expect(bytes.map { Array(part) == $0 } == true, "\(range) of \(length)")
                }
            }
        }
    }

    @Test func `a range that is sent says of itself what it is, and its reader agrees`() throws {
        for length in 1...6 {
            for first in 0..<length {
                for last in first..<length {
                    let text = ByteRange.contentRange(first..<last + 1, of: length)
                    let read = try #require(ContentRange(text))
                    #expect((read.first, read.last, read.total) == (first, last, length))
                    #expect(read.count == last - first + 1)
                }
            }
            #expect(ContentRange(ByteRange.contentRange(unsatisfiedOf: length)) == nil)
        }
    }

    @Test func `the greatest numbers are ranges as others are`() {
        let end = Int.max
        #expect(ByteRange("bytes=0-\(end)")?.resolve(length: end) == .part(0..<end))
        #expect(ByteRange("bytes=\(end - 1)-")?.resolve(length: end) == .part(end - 1..<end))
        #expect(ByteRange("bytes=\(end)-")?.resolve(length: end) == .unsatisfiable)
        #expect(ByteRange("bytes=-\(end)")?.resolve(length: end) == .part(0..<end))
        #expect(ByteRange("bytes=-99999999999999999999")?.resolve(length: 5) == .part(0..<5))
        #expect(ContentRange("bytes 0-\(end - 1)/\(end)")?.count == end)
    }

    // MARK: Numbers

    /// Each number is one more, or has one digit more, than the one before.
    @Test(arguments: [
        ("9223372036854775806", Int.max - 1), ("9223372036854775807", .max), ("9223372036854775808", .max),
        ("9223372036854775809", .max), ("9223372036854775810", .max), ("09223372036854775806", .max - 1),
        ("92233720368547758060", .max), ("18446744073709551615", .max), ("18446744073709551616", .max),
        ("922337203685477580", 922_337_203_685_477_580),
    ])
    func `a number of digits stops at the greatest that can be held`(text: String, expected: Int) {
        #expect(text.withFieldBytes { Int(saturatingDecimal: $0) } == expected)
    }

    @Test func `each weight of three digits is its thousandths`() {
        for thousandths in 0...1_000 {
            let digits = String(thousandths)
            let padded = String(repeating: "0", count: 4 - digits.count) + digits
            let text = "\(padded.prefix(1)).\(padded.dropFirst())"
            #expect(QualityValue.parse(text) == thousandths, "\(text)")
            // A fourth digit is ignored: RFC 9110 §12.4.2 has three.
            #expect(QualityValue.parse(text + "9") == thousandths, "\(text)9")
        }
        for text in ["1.001", "1.01", "1.1", "1.999", "2", "2.0", "10"] {
            #expect(QualityValue.parse(text) == nil, "\(text)")
        }
    }

    // MARK: Pauses

    @Test func `a pause is at most its limit, in seconds as in dates`() {
        for limit in [0, 1, 60] {
            for seconds in [0, 1, limit - 1, limit, limit + 1, 3_600] where seconds >= 0 {
                let expected = min(seconds, limit)
                #expect(RetryAfter.seconds(String(seconds), now: now, limit: limit) == expected)
                let date = HTTPDate.format(now.adding(seconds: Int64(seconds)))
                #expect(RetryAfter.seconds(date, now: now, limit: limit) == expected, "\(date)")
                let past = HTTPDate.format(now.adding(seconds: Int64(-seconds)))
                #expect(RetryAfter.seconds(past, now: now, limit: limit) == 0, "\(past)")
            }
        }
    }
}
