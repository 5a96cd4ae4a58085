// SPDX-License-Identifier: Apache-2.0

internal import Foundation
@testable import JSON
import RandomInputs
import Testing

@Suite("JSON that is written says the same to every reader (RFC 8259)")
struct JSONTextTests {
    @Test func `members stand in the order in which they are given`() {
        #expect(JSONText.object([]) == "{}")
        let text = JSONText.object([
            ("b", .number(-7)), ("a", .text("x\"y")), ("yes", .flag(true)), ("no", .flag(false)),
            ("list", .numbers([1, 2, 3])), ("none", .numbers([])), ("one", .numbers([.max])),
        ])
        #expect(
            text
                == #"{"b":-7,"a":"x\"y","yes":true,"no":false,"list":[1,2,3],"none":[],"one":[9223372036854775807]}"#
        )
    }

    @Test func `a name is a text as well`() {
        let nested = JSONText.object([
            ("a", .object([("b\"", .object([])), ("c", .text("d"))])), ("e", .flag(true)),
        ])
        #expect(nested == #"{"a":{"b\"":{},"c":"d"},"e":true}"#)
        #expect(JSONText.object([("a\"\n", .number(1))]) == #"{"a\"\n":1}"#)
    }

    @Test(arguments: [
        ("", #""""#), ("plain", #""plain""#), ("a\"b", #""a\"b""#), ("a\\b", #""a\\b""#),
        ("\n\r\t", #""\n\r\t""#),
        ("\u{8}\u{C}", #""\u0008\u000c""#), ("\u{0}\u{1F}", #""\u0000\u001f""#), ("\u{20}~", "\" ~\""),
        ("</script>&", #""\u003c/script\u003e\u0026""#), ("é日", "\"é日\""), ("🦊", "\"🦊\""),
        ("\u{7F}\u{80}", #""\u007f\u0080""#), ("\u{E0001}", #""\udb40\udc01""#),
    ])
    func `what would end the text, or a page around it, is escaped`(text: String, quoted: String) {
        #expect(JSONText.quoted(text) == quoted)
    }

    @Test func `an escape has four digits, and two escapes beyond the basic plane`() {
        for (scalar, text) in [
            ("\u{1}", #"\u0001"#), ("\u{AB}", #"\u00ab"#), ("\u{ABC}", #"\u0abc"#), ("\u{FFFD}", #"\ufffd"#),
            ("\u{10000}", #"\ud800\udc00"#), ("\u{10FFFF}", #"\udbff\udfff"#),
        ] as [(Unicode.Scalar, String)] {
            #expect(LogText.escape(scalar) == text)
        }
    }

    @Test func `any text is read back as it was`() throws {
        var random = SeededRandom(for: "JSON texts")
        let pieces =
            Array("\"\\/<>&\n\r\t\u{0}\u{7F}\u{85}\u{202E}\u{2028}é🦊a").map(String.init) + [
                "\\u0041", "\u{E0041}",
            ]
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let number = Int.random(in: -1 << 53...1 << 53, using: &random)
            let written = JSONText.object([(text, .text(text)), ("\u{1}number", .number(number))])
            let read = try #require(
                try JSONSerialization.jsonObject(with: Data(written.utf8)) as? [String: Any])
            #expect(read[text] as? String == text)
            #expect(read["\u{1}number"] as? Int == number)
            #expect(!written.unicodeScalars.contains { $0.value < 0x20 || $0 == "<" || $0 == "\u{202E}" })
        }
    }
}
