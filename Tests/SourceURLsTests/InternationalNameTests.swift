// SPDX-License-Identifier: Apache-2.0

import RandomInputs
@testable import SourceURLs
import Testing

@Suite("A name of letters beyond ASCII has one spelling in it, or is refused")
struct InternationalNameTests {
    private func host(_ text: String) throws -> String { try SourceURL.parse("http://\(text)/").host }

    // MARK: Marks

    /// Canonical combining classes: 103 for the vowel below, 107 for the tones above.
    @Test(arguments: [
        ("\u{E01}\u{E38}\u{E49}", "xn--12c4i1b"), ("\u{E01}\u{E48}\u{E49}", "xn--12c6ld"),
        ("\u{E01}\u{E49}\u{E01}\u{E38}", "xn--12ca9noc"), ("\u{5E9}\u{5B0}\u{5BC}", "xn--7cby8j"),
        ("\u{915}\u{93F}", "xn--11b8f"),
    ])
    func `marks in canonical order are kept`(text: String, expected: String) throws {
        #expect(try host("\(text).th") == expected + ".th")
    }

    @Test(arguments: [
        // In the wrong order: the tone before the vowel, and the point of a letter before its vowel.
        "\u{E01}\u{E49}\u{E38}", "\u{5E9}\u{5BC}\u{5B0}", "a\u{E01}\u{E48}\u{E38}b",
        // A mark at the start of a label.
        "\u{E49}\u{E01}", "a.\u{E49}\u{E01}", "\u{93F}\u{915}", "\u{20DD}a",
        // Characters that may compose with the one before them.
        "a\u{300}", "e\u{301}", "\u{1100}\u{1161}", "\u{AC00}\u{11A8}", "か\u{3099}", "\u{928}\u{93C}",
        "\u{9C7}\u{9BE}",
        "\u{BC6}\u{BBE}", "\u{6D5}\u{654}", "q\u{323}", "x\u{338}", "\u{11099}\u{110BA}",
    ])
    func `marks in another order, or that may compose, are refused`(text: String) {
        #expect(throws: SourceURLError.ambiguousHost) { try host("\(text).com") }
    }

    @Test(
        arguments: [
            0x300, 0x304, 0x306, 0x30C, 0x30F, 0x311, 0x313, 0x314, 0x31B, 0x323, 0x328, 0x32D, 0x32E, 0x330,
            0x331, 0x338,
            0x342, 0x653, 0x655, 0x93C, 0x9BE, 0x9D7, 0xB3E, 0xB56, 0xB57, 0xBBE, 0xBD7, 0xC56, 0xCC2, 0xCD5,
            0xCD6, 0xD3E,
            0xD57, 0xDCA, 0xDCF, 0xDDF, 0x102E, 0x1161, 0x1175, 0x11A8, 0x11C2, 0x1B35, 0x3099, 0x309A,
            0x110BA, 0x11127,
            0x1133E, 0x11357, 0x114B0, 0x114BA, 0x114BD, 0x115AF, 0x11930,
        ] as [UInt32])
    func `each character that Unicode lets compose is refused`(value: UInt32) throws {
        let mark = Character(try #require(Unicode.Scalar(value)))
        #expect(throws: SourceURLError.ambiguousHost) { try host("x\u{E01}\(mark).com") }
    }

    @Test(
        arguments: [
            0x305, 0x30D, 0x310, 0x312, 0x315, 0x31A, 0x322, 0x329, 0x32C, 0x332, 0x337, 0x339, 0x656,
        ] as [UInt32])
    func `their neighbours, which never do, are kept`(value: UInt32) throws {
        let mark = Character(try #require(Unicode.Scalar(value)))
        #expect(try host("x\(mark).com").hasPrefix("xn--x-"))
    }

    // MARK: Mappings

    @Test(arguments: [
        ("\u{3002}", "."), ("\u{FF0E}", "."), ("\u{FF61}", "."), ("\u{FF21}", "a"), ("\u{FF3A}", "z"),
        ("\u{FF41}", "a"), ("\u{FF5A}", "z"), ("\u{FF10}", "0"), ("\u{FF19}", "9"), ("\u{FF0D}", "-"),
        ("\u{FF3F}", "_"),
        ("\u{212A}", "k"),
    ])
    func `full-width forms and capitals are mapped`(character: String, expected: String) throws {
        #expect(try host("x\(character)y.com") == "x\(expected)y.com")
    }

    @Test func `a capital beyond ASCII is its small letter`() throws {
        for (capital, small) in [("É", "é"), ("Ж", "ж"), ("Σ", "σ"), ("Ǆ", "ǆ"), ("Ա", "ա")] {
            #expect((try? host("x\(capital).com")) == (try? host("x\(small).com")), "\(capital)")
        }
        #expect(try host("É.com") == "xn--9ca.com")
    }

    @Test(arguments: ["\u{FF01}", "\u{FF5E}", "\u{FF0F}", "\u{FF1A}", "\u{FF20}", "\u{FF05}"])
    func `a full-width sign is the sign, which no name has`(character: String) {
        #expect(throws: SourceURLError.self) { try host("x\(character)y.com") }
    }

    @Test func `sharp s and final sigma are letters of their own`() throws {
        #expect(try host("faß.de") == "xn--fa-hia.de")
        #expect(try host("FAß.de") == "xn--fa-hia.de")
        #expect(try host("βόλος.com") == "xn--nxasmm1c.com")
        #expect(try host("βόλοσ.com") == "xn--nxasmq6b.com")
        #expect(throws: SourceURLError.ambiguousHost) { try host("FA\u{1E9E}.de") }
    }

    // MARK: Lengths

    @Test func `labels have 63 bytes and names 253`() throws {
        let label = String(repeating: "a", count: 63)
        #expect(try host(label) == label)
        #expect(throws: SourceURLError.invalidHost) { try host(label + "a") }
        let name = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        #expect(name.utf8.count == 253)
        #expect(try host(name) == name)
        #expect(try host(name + ".") == name)
        #expect(throws: SourceURLError.invalidHost) { try host(name + "b") }
    }

    @Test func `a label that is too long is refused before it is looked at`() {
        #expect(throws: SourceURLError.ambiguousHost) { try host(String(repeating: "①", count: 63)) }
        #expect(throws: SourceURLError.invalidHost) { try host(String(repeating: "①", count: 64)) }
        // In ASCII the label is too long.
        #expect(throws: SourceURLError.invalidHost) { try host(String(repeating: "ü", count: 60)) }
        #expect(throws: Never.self) { try host(String(repeating: "ü", count: 20)) }
    }

    @Test func `an encoded label has no other letters in it`() throws {
        #expect(try host("XN--BCHER-KVA.example") == "xn--bcher-kva.example")
        for label in ["xn--ü", "XN--a\u{FF41}ü", "xn--\u{E01}"] {
            #expect(throws: SourceURLError.invalidHost) { try host(label) }
        }
    }

    // MARK: Punycode

    /// The decoder of RFC 3492 §6.2, written from the RFC without the encoder's code.
    private func decode(_ text: String) -> [UInt32]? {
        var output: [UInt32] = []
        var input = Array(text.utf8)
        if let hyphen = input.lastIndex(of: UInt8(ascii: "-")) {
            output = input[..<hyphen].map(UInt32.init)
            input = Array(input[(hyphen + 1)...])
        }
        var (n, i, bias, rest) = (128, 0, 72, input[...])
        while !rest.isEmpty {
            var (weight, k) = (1, 36)
            let old = i
            while true {
                guard let byte = rest.popFirst() else { return nil }
                let digit = byte >= 97 ? Int(byte) - 97 : Int(byte) - 22
                i += digit * weight
                let threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias
                if digit < threshold { break }
                weight *= 36 - threshold
                k += 36
            }
            let count = output.count + 1
            var delta = old == 0 ? (i - old) / 700 : (i - old) / 2
            delta += delta / count
            var steps = 0
            while delta > 455 { (delta, steps) = (delta / 35, steps + 36) }
            bias = steps + 36 * delta / (delta + 38)
            n += i / count
            i %= count
            output.insert(UInt32(n), at: i)
            i += 1
        }
        return output
    }

    @Test func `a label comes back from its punycode`() {
        var random = SeededRandom(for: "punycode")
        let ranges: [ClosedRange<UInt32>] = [
            0x61...0x7A, 0x30...0x39, 0xE0...0xFF, 0x430...0x44F, 0x5D0...0x5EA, 0x3041...0x3096,
            0x4E00...0x9FFF,
            0x1F600...0x1F64F, 0x10000...0x10FFFF,
        ]
        for _ in 0..<5_000 {
            let few = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                ranges.randomElement(using: &random) ?? ranges[0]
            }
            let label = (0..<Int.random(in: 1...40, using: &random)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: few.randomElement(using: &random) ?? few[0], using: &random))
            }
            guard label.contains(where: { !$0.isASCII }) else { continue }
            #expect(decode(Punycode.encode(label)) == label.map(\.value), "\(label)")
        }
    }
}
