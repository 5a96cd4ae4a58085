// SPDX-License-Identifier: Apache-2.0

import Bytes
import RandomInputs
import Testing

@Suite("An escape is a percent sign and two hexadecimal digits (RFC 3986 §2.1)")
struct PercentEscapeTests {
    private func strict(_ text: String) -> String? {
        PercentEscape.decode(Array(text.utf8)[...]).map { String(decoding: $0, as: UTF8.self) }
    }

    private func lenient(_ text: String) -> String {
        String(decoding: PercentEscape.decode(lenient: Array(text.utf8)[...]), as: UTF8.self)
    }

    @Test(arguments: [
        ("", ""), ("plain", "plain"), ("%41", "A"), ("a%20b", "a b"), ("%2525", "%25"), ("%41%42%43", "ABC"),
        ("%c3%A9", "é"), ("%C3%a9", "é"), ("%00", "\0"), ("+", "+"), ("%7e%7E", "~~"), ("x%5a", "xZ"),
    ])
    func `an escape is one byte, and is decoded once`(text: String, expected: String) {
        #expect(strict(text) == expected)
        #expect(lenient(text) == expected)
    }

    @Test(arguments: [
        ("%", "%"), ("%4", "%4"), ("a%", "a%"), ("%%41", "%A"), ("%g0", "%g0"), ("%0g", "%0g"),
        ("%4%41", "%4A"),
        ("%-1", "%-1"), ("% 1", "% 1"), ("%+1", "%+1"), ("%41%", "A%"), ("%zz%42", "%zzB"),
    ])
    func `a sign that begins no escape is a mistake, or stands for itself`(text: String, expected: String) {
        #expect(strict(text) == nil)
        #expect(lenient(text) == expected)
    }

    @Test func `an escape may be looked for in the middle of a text, and ends with it`() {
        let bytes = Array("%41%42%4".utf8)
        #expect(
            bytes.indices.map { PercentEscape.byte(in: bytes[...], at: $0) } == [
                0x41, nil, nil, 0x42, nil, nil, nil, nil,
            ])
        #expect(PercentEscape.byte(in: bytes[3..<6], at: 3) == 0x42)
        #expect(PercentEscape.byte(in: bytes[3..<5], at: 3) == nil)
        #expect(PercentEscape.decode(bytes[3..<6]) == [0x42])
        #expect(PercentEscape.decode(bytes[3..<5]) == nil)
    }

    @Test func `what is written has large digits, and is read back`() {
        for byte in UInt8.min...UInt8.max {
            var written: [UInt8] = []
            PercentEscape.append(byte, to: &written)
            let digits = String(byte, radix: 16, uppercase: true)
            #expect(written == Array(("%" + (byte < 16 ? "0" : "") + digits).utf8))
            #expect(PercentEscape.decode(written[...]) == [byte])
        }
    }

    @Test func `what is not kept is escaped, and that is all but the unreserved`() {
        let all = Array(UInt8.min...UInt8.max)
        let unreserved = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        let expected = all.flatMap { byte in
            var escape: [UInt8] = []
            PercentEscape.append(byte, to: &escape)
            return unreserved.contains(byte) ? [byte] : escape
        }
        #expect(PercentEscape.encode(all[...]) == expected)
        #expect(PercentEscape.encode("a~ü/") == "a~%C3%BC%2F")
        #expect(PercentEscape.encode("a~ü/") { $0 < 0x80 } == "a~%C3%BC/")
    }

    @Test func `of bytes that are no text, what is not printable becomes escapes`() {
        #expect(PercentEscape.text(escaping: Array("a %41~".utf8)) == "a %41~")
        #expect(
            PercentEscape.text(escaping: [0x2F, 0xE9, 0x00, 0x1F, 0x7F, 0x80, 0xFF]) == "/%E9%00%1F%7F%80%FF")
        #expect(PercentEscape.text(escaping: []).isEmpty)
    }

    @Test func `where the strict reading succeeds, the lenient one says the same`() {
        var random = SeededRandom(for: "escapes")
        let alphabet = Array("%%%0149aAfFgG-".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            let lenient = PercentEscape.decode(lenient: bytes[...])
            if let strict = PercentEscape.decode(bytes[...]) { #expect(strict == lenient) }
            let escapes = (bytes.count - lenient.count) / 2
            #expect(lenient.count + 2 * escapes == bytes.count, "each escape is two bytes shorter")
        }
    }
}
