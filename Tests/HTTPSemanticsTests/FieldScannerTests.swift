// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import RandomInputs
import Testing

struct FieldScannerTests {
    @Test func `token characters are those of RFC 9110 §5.6.2`() {
        let allowed = Set(
            "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max { #expect(byte.isTokenByte == allowed.contains(byte), "\(byte)") }
    }

    @Test(
        arguments: [
            (#""abc"x"#, "abc", 5), (#""""#, "", 2), (#""a\"b""#, #"a\"b"#, 6), (#""a\\""#, #"a\\"#, 5),
            (#""a,b""#, "a,b", 5),
        ] as [(String, String, Int)])
    func `a quoted string ends at its own quote`(text: String, inside: String, position: Int) {
        text.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes)
            #expect(scanner.quotedString()?.text == inside)
            #expect(scanner.position == position)
        }
    }

    @Test(arguments: ["", "a", #"""#, #""abc"#, #""abc\""#, #""abc\"#])
    func `a quoted string that does not end is not read`(text: String) {
        text.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes)
            #expect(scanner.quotedString() == nil)
            #expect(scanner.position == 0)
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("007", 7), ("9223372036854775807", .max), ("9223372036854775808", .max),
            ("99999999999999999999999", .max),
            ("12a", 12),
        ] as [(String, Int)])
    func `digits stop at the largest number`(text: String, expected: Int) {
        text.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes)
            #expect(scanner.decimal() == expected)
        }
    }

    @Test func `a list is walked over empty elements, quotes and white space`() {
        let elements = #" a ,, "b,c" ;x="d,\"e" , f "#.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes)
            var elements: [String] = []
            while scanner.nextElement() {
                let start = scanner.position
                scanner.skipElement()
                elements.append(
                    UnsafeRawBufferPointer(rebasing: bytes[start..<scanner.position]).trimmed.text)
            }
            return elements
        }
        #expect(elements == ["a", #""b,c" ;x="d,\"e""#, "f"])
    }

    @Test func `the writer leaves out whole what does not fit, and says so`() {
        var storage = [UInt8](repeating: 0x2E, count: 8)
        let (count, isComplete) = storage.withUnsafeMutableBytes { bytes in
            var writer = ByteWriter(bytes)
            writer.append("abcde")
            writer.append(1234)
            writer.append("x")
            return (writer.count, writer.isComplete)
        }
        #expect(String(decoding: storage, as: UTF8.self) == "abcde...")
        #expect(count == 5 && !isComplete)
    }

    @Test func `numbers are written in decimal`() {
        var random = SeededRandom(for: "FieldScanner")
        var numbers = [
            0, 1, -1, 9, 10, 11, 99, 100, -100, .max, .min, 999_999_999_999, 1_000_000_000_000_000_000,
        ]
        for _ in 0..<5_000 {
            let shift = Int.random(in: 0..<63, using: &random)
            numbers.append(Int.random(in: Int.min...Int.max, using: &random) >> shift)
        }
        for number in numbers {
            #expect(String(capacity: 20) { $0.append(number) } == String(number), "seed \(random.seed)")
        }
    }
}
