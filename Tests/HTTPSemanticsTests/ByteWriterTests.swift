// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import RandomInputs
import Testing

@Suite("What does not fit is left out whole, and so is all that follows")
struct ByteWriterTests {
    /// A part that is written, and its spelling.
    private enum Part: CustomStringConvertible {
        case text(String)
        case number(Int)
        case date(Timestamp)

        func append(to writer: inout ByteWriter) {
            switch self {
            case .text(let text): writer.append(text)
            case .number(let number): writer.append(number)
            case .date(let time): writer.append(time)
            }
        }

        var description: String {
            switch self {
            case .text(let text): text
            case .number(let number): String(number)
            case .date(let time): HTTPDate.format(time)
            }
        }
    }

    /// The text, and whether it is complete.
    private func written(_ parts: [Part], capacity: Int) -> (text: String, isComplete: Bool) {
        var storage = [UInt8](repeating: 0, count: capacity)
        let (count, isComplete) = storage.withUnsafeMutableBytes { bytes in
            var writer = ByteWriter(bytes)
            for part in parts { part.append(to: &writer) }
            return (writer.count, writer.isComplete)
        }
        #expect(storage[count...].allSatisfy { $0 == 0 }, "nothing is written behind the text")
        return (String(decoding: storage[..<count], as: UTF8.self), isComplete)
    }

    @Test func `a value fits into as many bytes as it has, and into none fewer`() {
        let values: [Part] = [
            .text("x"), .text("max-age="), .text("ü"), .number(0), .number(9), .number(10), .number(-1),
            .number(-10), .number(.max), .number(.min), .date(now),
        ]
        for value in values {
            let length = value.description.utf8.count
            #expect(written([value], capacity: length) == (value.description, true), "\(value)")
            #expect(written([value], capacity: length - 1) == ("", false), "\(value)")
        }
    }

    @Test func `a negative number leaves no sign behind`() {
        for capacity in 2...4 {
            #expect(written([.text("="), .number(-100)], capacity: capacity) == ("=", false))
        }
        #expect(written([.text("="), .number(-100)], capacity: 5) == ("=-100", true))
    }

    @Test func `what follows a value that did not fit is left out, however short it is`() {
        let parts: [Part] = [.text("abc"), .text("defg"), .text("h"), .number(1)]
        #expect(written(parts, capacity: 6) == ("abc", false))
        #expect(written(parts, capacity: 8) == ("abcdefgh", false))
        #expect(written(parts, capacity: 9) == ("abcdefgh1", true))
    }

    @Test func `nothing fits anywhere`() {
        #expect(written([.text(""), .text("")], capacity: 0) == ("", true))
        #expect(written([.text("a"), .text("")], capacity: 0) == ("", false))
    }

    @Test func `any sequence is written as far as whole values go`() {
        var random = SeededRandom(for: "ByteWriter")
        for _ in 0..<2_000 {
            let parts = (0..<Int.random(in: 0...6, using: &random)).map { _ -> Part in
                switch Int.random(in: 0..<4, using: &random) {
                case 0: .text(", stale-if-error=")
                case 1: .text(String(repeating: "é", count: Int.random(in: 0...9, using: &random)))
                case 2:
                    .number(Int(truncatingIfNeeded: random.next()) >> Int.random(in: 0...63, using: &random))
                default: .date(Timestamp(seconds: Int64.random(in: 0...4_000_000_000, using: &random)))
                }
            }
            let capacity = Int.random(in: 0...80, using: &random)
            var (expected, isComplete) = ("", true)
            for part in parts where isComplete {
                isComplete = expected.utf8.count + part.description.utf8.count <= capacity
                if isComplete { expected += part.description }
            }
            #expect(
                written(parts, capacity: capacity) == (expected, isComplete), "seed \(random.seed): \(parts)")
        }
    }
}
