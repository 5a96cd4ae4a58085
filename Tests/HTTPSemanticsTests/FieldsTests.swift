// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import RandomInputs
import Testing

@Suite("Fields have names without case, and an order (RFC 9110 §5)")
struct FieldsTests {
    private let fields = Fields([
        .init("Accept", "a"), .init("Host", "h"), .init("ACCEPT", "b, c"), .init("accept", ""),
        .init("Vary", "v"),
    ])

    @Test func `a name is found in any case, the first of them first`() {
        for name in ["accept", "Accept", "ACCEPT", "aCCePT"] {
            #expect(fields[name] == "a")
            #expect(fields.values(name) == ["a", "b, c", ""])
            #expect(fields.combined(name) == "a, b, c, ")
        }
        for name in ["accep", "accept ", "accepts", "", "Ho\u{17F}t"] {
            #expect(fields[name] == nil && fields.values(name).isEmpty && fields.combined(name) == nil)
        }
    }

    @Test func `set leaves one of a name, at the end, and remove none`() {
        var changed = fields
        changed.set("accept", "x")
        #expect(changed.list == [.init("Host", "h"), .init("Vary", "v"), .init("accept", "x")])
        changed.remove("VARY")
        #expect(changed.list == [.init("Host", "h"), .init("accept", "x")])
        changed.append("host", "i")
        #expect(changed.values("Host") == ["h", "i"])
        changed.remove("absent")
        #expect(changed.list.count == 3)
    }

    @Test func `fields take the place of all that have one of their names`() {
        var changed = fields
        changed.replace(by: [.init("ACCEPT", "x"), .init("accept", "y"), .init("Via", "z")])
        #expect(
            changed.list == [
                .init("Host", "h"), .init("Vary", "v"), .init("ACCEPT", "x"), .init("accept", "y"),
                .init("Via", "z"),
            ])
        changed.replace(by: [])
        #expect(changed.list.count == 5)
    }

    @Test func `tokens are told apart by commas and white space, and have one case`() {
        let fields = Fields([.init("Connection", "Close,\tkeep-Alive"), .init("connection", ", TE")])
        #expect(fields.tokens("CONNECTION") == ["close", "keep-alive", "te"])
        #expect(fields.tokens("absent").isEmpty)
    }

    @Test func `only the letters of ASCII have two cases`() {
        let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
        for byte in UInt8(0)...0x7F {
            let (text, other) = (Character(Unicode.Scalar(byte)), Character(Unicode.Scalar(byte ^ 0x20)))
            #expect(Fields.same("x\(text)", "X\(text)"))
            #expect(Fields.same("x\(text)", "x\(other)") == letters.contains(byte), "\(byte)")
        }
        #expect(!Fields.same("é", "É"))
        #expect(Fields.same("", "") && !Fields.same("", "a") && !Fields.same("ab", "a"))
    }

    // MARK: Reading a value

    /// The result of `read`, and the position where it stops.
    private func scan<Result>(_ text: String, _ read: (inout FieldScanner) -> Result) -> (Result, Int) {
        text.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes)
            let result = read(&scanner)
            return (result, scanner.position)
        }
    }

    @Test func `what does not match is left unread`() {
        #expect(scan("ab") { $0.take(UInt8(ascii: "b")) } == (false, 0))
        #expect(scan("ab") { $0.take(UInt8(ascii: "a")) } == (true, 1))
        #expect(scan("") { $0.take(UInt8(ascii: "a")) } == (false, 0))
        #expect(scan("a/b") { $0.token()?.text } == ("a", 1))
        #expect(scan("/b") { $0.token()?.text } == (nil, 0))
        #expect(scan("12x") { $0.decimal() } == (12, 2))
        #expect(scan("x") { $0.decimal() } == (nil, 0))
        #expect(scan(" \t x") { $0.skipWhitespace() }.1 == 3)
        #expect(scan("\nx") { $0.skipWhitespace() }.1 == 0)
    }

    @Test(arguments: [
        ("", true, 0), (" \t", true, 2), (",", true, 0), (" , x", true, 1), ("x", false, 0), (" x", false, 1),
        (";", false, 0),
    ])
    func `an element ends at a comma or with the value`(text: String, ends: Bool, position: Int) {
        #expect(scan(text) { $0.isAtElementEnd() } == (ends, position))
    }

    @Test(arguments: [
        ("", false, 0), (",,, ", false, 4), (" , \t,x,", true, 5), ("x", true, 0), (" x", true, 1),
    ])
    func `empty elements are passed over`(text: String, isThere: Bool, position: Int) {
        #expect(scan(text) { $0.nextElement() } == (isThere, position))
    }

    @Test(arguments: [
        ("a,b", 1), ("a", 1), ("", 0), (",", 0), (#""a,b",c"#, 5), (#"x="a,b";y,c"#, 9), (#""a\",b",c"#, 7),
        (#""a,b"#, 4),
        (#"a"b,c"#, 5), (#""""",c"#, 4), (#""\\",c"#, 4),
    ])
    func `an element reaches to the next comma outside of quotes`(text: String, position: Int) {
        #expect(scan(text) { $0.skipElement() }.1 == position)
    }

    @Test(arguments: [
        ("", ""), (" ", ""), (" a ", "a"), ("\t\ta b\t ", "a b"), ("a", "a"), ("\na\n", "\na\n"),
        ("\u{B}a", "\u{B}a"),
    ])
    func `white space around a value is blanks and tabs`(text: String, expected: String) {
        #expect(text.withFieldBytes { $0.trimmed.text } == expected)
    }

    @Test func `a word is the same in any case, and as long`() {
        for (text, isSame) in [
            ("gzip", true), ("GZIP", true), ("xzip", false), ("gzix", false), ("gZiP", true), ("gzi", false),
            ("gzipp", false), ("", false),
            ("g\u{17A}p", false),
        ] {
            #expect(text.withFieldBytes { $0.isSame(as: "gzip") } == isSame, "\(text)")
        }
        #expect("".withFieldBytes { $0.isSame(as: "") })
        // '@' and '`', '[' and '{' differ by the same bit as letters do.
        #expect(!"`{".withFieldBytes { $0.isSame(as: "@[") })
    }

    @Test func `a list is cut as another reader would cut it`() {
        var random = SeededRandom(for: "Fields")
        for _ in 0..<20_000 {
            let bytes = random.fieldBytes(limit: 20, alphabet: #"ab,, ""\"#)
            let elements: [[UInt8]] = bytes.withUnsafeBytes { field in
                var (scanner, elements) = (FieldScanner(field), [[UInt8]]())
                while scanner.nextElement() {
                    let start = scanner.position
                    scanner.skipElement()
                    elements.append(Array(field[start..<scanner.position]))
                }
                return elements
            }
            #expect(elements == Self.elements(bytes), "seed \(random.seed): \(bytes)")
        }
    }

    /// Byte by byte, without looking ahead except for the end of a quoted string.
    private static func elements(_ bytes: [UInt8]) -> [[UInt8]] {
        var (elements, current, index): ([[UInt8]], [UInt8], Int) = ([], [], 0)
        func end(of quote: Int) -> Int {
            var index = quote + 1
            while index < bytes.count, bytes[index] != .quote { index += bytes[index] == .backslash ? 2 : 1 }
            return index < bytes.count ? index : bytes.count - 1
        }
        while index < bytes.count {
            if bytes[index] == .comma {
                if !current.isEmpty { elements.append(current) }
                current = []
            } else if bytes[index] == .quote {
                let last = end(of: index)
                current += bytes[index...last]
                index = last
            } else if !current.isEmpty || (bytes[index] != .space && bytes[index] != .tab) {
                current.append(bytes[index])
            }
            index += 1
        }
        return current.isEmpty ? elements : elements + [current]
    }
}
