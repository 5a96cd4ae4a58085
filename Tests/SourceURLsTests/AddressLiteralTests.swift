// SPDX-License-Identifier: Apache-2.0

internal import Glibc
import RandomInputs
@testable import SourceURLs
import Testing

@Suite("An address has many spellings and one meaning")
struct AddressLiteralTests {
    private func host(_ text: String) throws -> String { try SourceURL.parse("http://\(text)/").host }

    private func isRefused(_ text: String) -> Bool { (try? host(text)) == nil }

    // MARK: IPv4

    /// WHATWG URL, "IPv4 number parser": decimal, octal, hexadecimal.
    private func spell(_ number: UInt32, _ random: inout SeededRandom) -> String {
        let zeros = String(repeating: "0", count: Int.random(in: 0...3, using: &random))
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return String(number)
        case 1: return "0" + zeros + String(number, radix: 8)
        default:
            let isLarge = random.chance(50)
            return (isLarge ? "0X" : "0x") + zeros + String(number, radix: 16, uppercase: isLarge)
        }
    }

    @Test func `one to four numbers of any base are the address whose bytes they fill`() throws {
        var random = SeededRandom(for: "IPv4")
        for _ in 0..<3_000 {
            let address = UInt32.random(in: 0...UInt32.max, using: &random)
            let bytes = [24, 16, 8, 0].map { address >> $0 & 255 }
            let parts = Int.random(in: 1...4, using: &random)
            let last = parts == 1 ? address : address & (1 << (8 * (5 - UInt32(parts))) - 1)
            let numbers = Array(bytes.prefix(parts - 1)) + [last]
            let text =
                numbers.map { spell($0, &random) }.joined(separator: ".") + (random.chance(20) ? "." : "")
            #expect(try host(text) == bytes.map(String.init).joined(separator: "."), "\(text)")
        }
    }

    @Test(arguments: [
        ("4294967295", "255.255.255.255"), ("0xffffffff", "255.255.255.255"),
        ("037777777777", "255.255.255.255"),
        ("1.16777215", "1.255.255.255"), ("1.2.65535", "1.2.255.255"), ("1.2.3.255", "1.2.3.255"),
        ("255.255.255.255", "255.255.255.255"), ("0.0.0.0", "0.0.0.0"), ("00.000.0x0.0x", "0.0.0.0"),
    ])
    func `each number may be as great as the bytes that it fills`(text: String, expected: String) throws {
        #expect(try host(text) == expected)
    }

    @Test(arguments: [
        "4294967296", "0x100000000", "040000000000", "1.16777216", "1.2.65536", "1.2.3.256", "256.1",
        "1.256.1",
        "1.2.256.4", "18446744073709551616", "99999999999999999999999", "0xfffffffffffffffffff", "1.2.3.4.5",

        "1..2", "08", "0xg.1",
    ])
    func `and no greater`(text: String) { #expect(isRefused(text)) }

    @Test func `the root's dot is no part of it`() throws {
        #expect(try host("1.2.3.") == "1.2.0.3")
        #expect(try host("1.2.3.4.") == "1.2.3.4")
        #expect(isRefused("1.2.3.4.."))
    }

    @Test func `a name whose last part is no number is a name`() throws {
        for name in [
            "1.2.3.a", "1.2.3.4a", "0x1g", "0xg", "a1", "1a", "256.256.256.256a", "1-2", "1.2.3.08a",
        ] {
            #expect(try host(name) == name)
        }
    }

    // MARK: IPv6

    /// The C library's reading; nil if it is no address.
    private func reference(_ text: String) -> [UInt8]? {
        var address = in6_addr()
        guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
        return withUnsafeBytes(of: address) { Array($0) }
    }

    private func pieces(_ random: inout SeededRandom) -> [UInt16] {
        (0..<8).map { _ in
            random.chance(60) ? 0 : UInt16.random(in: 0...(random.chance(50) ? 255 : 65_535), using: &random)
        }
    }

    @Test func `every address is spelled as RFC 5952 says, as others spell it too`() throws {
        var random = SeededRandom(for: "IPv6")
        for _ in 0..<5_000 {
            let pieces = pieces(&random)
            let plain = pieces.map { String($0, radix: 16, uppercase: random.chance(50)) }.joined(
                separator: ":")
            let text = try host("[\(plain)]")
            let bytes = pieces.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
            #expect(reference(text) == bytes, "\(plain)")
            #expect(try host("[\(text)]") == text)
            // The C library spells addresses that embed IPv4 with dots.
            guard pieces[0..<6] != [0, 0, 0, 0, 0, 0], pieces[0..<6] != [0, 0, 0, 0, 0, 0xFFFF] else {
                continue
            }
            var buffer = [CChar](repeating: 0, count: 64)
            inet_ntop(AF_INET6, bytes, &buffer, 64)
            let spelled = String(
                decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            #expect(text == spelled)
        }
    }

    @Test func `what is read is what others read, and what they refuse is refused`() {
        var random = SeededRandom(for: "IPv6 texts")
        let parts = [
            "0", "1", "ffff", "00a", "12345", "g", "::", ":", ":", ":", "1.2.3.4", "256.1.1.1", "1.2.3",
            "01.2.3.4", ".",
        ]
        var accepted = 0
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 1...16, using: &random)).map { _ in
                parts.randomElement(using: &random) ?? ""
            }.joined()
            guard let expected = reference(text) else {
                #expect(isRefused("[\(text)]"), "\(text)")
                continue
            }
            accepted += 1
            let read = try? host("[\(text)]")
            #expect(read.flatMap { reference($0) } == expected, "\(text)")
        }
        #expect(accepted > 50)
    }

    @Test func `the longest spelling has 45 bytes`() throws {
        let longest = "0000:0000:0000:0000:0000:ffff:255.255.255.255"
        #expect(longest.utf8.count == 45)
        #expect(try host("[\(longest)]") == "::ffff:ffff:ffff")
        #expect(try host("[0001:0002:0003:0004:0005:0006:0007:0008]") == "1:2:3:4:5:6:7:8")
        #expect(isRefused("[00000:0000:0000:0000:0000:ffff:255.255.255.255]"))
    }

    @Test(arguments: [
        ("::", "::"), ("1::", "1::"), ("::1", "::1"), ("1:0:0:0:0:0:0:0", "1::"), ("0:0:0:0:0:0:0:1", "::1"),
        ("1:0:0:2:0:0:3:4", "1::2:0:0:3:4"), ("0:0:1:0:0:1:0:0", "::1:0:0:1:0:0"),
        ("0:1:0:0:0:1:0:0", "0:1::1:0:0"),
        ("1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"), ("0:0:3:4:5:6:7:8", "::3:4:5:6:7:8"),
        ("0:2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
        ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("1::3:4:5:6:7:8", "1:0:3:4:5:6:7:8"),
        ("ABCD::EF", "abcd::ef"),
        ("::1.2.3.4", "::102:304"), ("1::255.255.255.255", "1::ffff:ffff"),
        ("1:2:3:4:5:6:0.0.0.0", "1:2:3:4:5:6::"),
    ])
    func `the first of the longest runs of zeros is left out`(text: String, expected: String) throws {
        #expect(try host("[\(text)]") == expected)
    }

    @Test(arguments: [
        "::1.2.3.4.", "::.1.2.3.4", "::1..2.3.4", "::1.2.3.", "::1.2.3.4.5", "::1.2.3", "::1.2.3.04",
        "::1.2.3.256",
        "::1.2.3.0x4", "::1.2.3.+4", "::1.2.3.4:5", "1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3.4::",
    ])
    func `an embedded IPv4 address is four decimal numbers at the end`(text: String) {
        #expect(isRefused("[\(text)]"))
    }

    @Test func `brackets stand on both sides, and nothing but a port behind them`() {
        for text in ["[::1", "::1", "::1]", "[[::1]", "[::1]]", "[::1]80", "[::1].", "a[::1]", "[]", "[ ]"] {
            #expect(isRefused(text), "\(text)")
        }
        #expect(!isRefused("[::1]:80"))
    }
}
