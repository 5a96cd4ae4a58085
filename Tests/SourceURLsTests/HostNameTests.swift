// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import Testing

@Suite struct HostNameTests {
    private func host(_ text: String) throws -> String {
        try SourceURL.parse("http://\(text)/").host
    }

    @Test(arguments: [
        "127.0.0.1", "2130706433", "0x7f000001", "0X7F000001", "017700000001", "0177.0.0.1", "127.1",
        "127.0.1",
        "0x7f.1", "0x7f.0x0.0x00.0x1", "0177.1", "127.0.0.1.", "2130706433.", "127.0x1",
        "0x0000000000000000000000007f000001", "%31%32%37.0.0.1", "１２７.０.０.１", "127。0。0。1", "127｡0.0．1",
    ])
    func `every spelling of 127_0_0_1 is 127_0_0_1`(text: String) throws {
        #expect(try host(text) == "127.0.0.1")
    }

    @Test(arguments: [
        ("0", "0.0.0.0"), ("0x", "0.0.0.0"), ("0x0.0", "0.0.0.0"), ("4294967295", "255.255.255.255"),
        ("2852039166", "169.254.169.254"), ("169.16689662", "169.254.169.254"), ("1.2.3", "1.2.0.3"),
    ])
    func `IPv4 numbers fill the bytes that are left`(text: String, expected: String) throws {
        #expect(try host(text) == expected)
    }

    @Test(arguments: [
        "256.0.0.1", "1.2.3.256", "4294967296", "0x1a9fea9fe", "1.2.3.08", "09.2.3.4", "01.2.3.4.5",
        "foo.1.2.3.4",
        "foo.0x4", "foo.0x", "foo.09", "0999999999999999999", "1..2", "127.0.0.1.1", "💩.123",
    ])
    func `a host that ends in a number is an address or nothing`(text: String) {
        #expect(throws: SourceURLError.self) { try host(text) }
    }

    @Test(arguments: [
        ("[::1]", "::1"), ("[0:0:0:0:0:0:0:1]", "::1"), ("[0000::0001]", "::1"), ("[::]", "::"),
        ("[2001:DB8::A]", "2001:db8::a"), ("[::ffff:127.0.0.1]", "::ffff:7f00:1"),
        ("[0:0:0:0:0:ffff:127.0.0.1]", "::ffff:7f00:1"), ("[64:ff9b::10.0.0.1]", "64:ff9b::a00:1"),
        // RFC 5952 §4.2: a single zero is not shortened; the longest run is, and of equal runs the first.
        ("[1:0:1:0:1:0:1:0]", "1:0:1:0:1:0:1:0"), ("[1:0:0:2:0:0:0:3]", "1:0:0:2::3"),
        ("[1:0:0:2:3:0:0:4]", "1::2:3:0:0:4"), ("[1:2:3:4:5:6:7::]", "1:2:3:4:5:6:7:0"),
    ])
    func `IPv6 addresses have one spelling`(text: String, expected: String) throws {
        #expect(try host(text) == expected)
    }

    @Test(arguments: [
        "[::1%25lo]", "[::1%lo]", "[]", "[:]", "[:::]", "[1::2::3]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]",
        "[1:2:3:4:5:6:7:8::]", "[12345::]", "[::127.0.0]", "[::127.0.0.256]", "[::127.0.0.01]", "[0:1.23.23]",
        "[0:1:2:3:4:5:6:7.0.0.0.1]", "[1.2.3.4::]", "[v1.a]", "[::g]",
    ])
    func `what is no IPv6 address is refused`(text: String) {
        #expect(throws: SourceURLError.invalidAddress) { try host(text) }
    }

    @Test(arguments: [
        ("EXAMPLE.Com", "example.com"), ("example.com.", "example.com"), ("lo%63alhost", "localhost"),
        ("ｌｏｃａｌｈｏｓｔ", "localhost"), ("a_b.example", "a_b.example"), ("XN--pokxncvks", "xn--pokxncvks"),
        ("1a.2b", "1a.2b"), ("a.b-c", "a.b-c"), ("\u{212A}.example", "k.example"),
    ])
    func `names are lower-cased, decoded and lose the root's dot`(text: String, expected: String) throws {
        #expect(try host(text) == expected)
    }

    @Test(arguments: [
        "a..b", ".a", "a.b..", ".", "a%00b", "a%20b", "a%2fb", "a%23b", "a%40b", "a%5cb", "a%25b", "a%80b",
        "a%7fb",
        "a%zzb", "a%", "a,b", "a;b", "a*b", "a'b", "a\"b", "a<b", "a>b", "a^b", "a|b", "a`b", "a{b", "a!b",
        "a]b",
        String(repeating: "a", count: 64) + ".com", String(repeating: "abc.", count: 64) + "com",
    ])
    func `what no public name contains is refused`(text: String) {
        #expect(throws: SourceURLError.self) { try host(text) }
    }

    @Test(arguments: [
        ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.example", "xn--bcher-kva.example"),
        ("例え.テスト", "xn--r8jz45g.xn--zckzah"), ("ПРИМЕР.рф", "xn--e1afmkfd.xn--p1ai"),
        ("straße.de", "xn--strae-oqa.de"), ("ελλάς.gr", "xn--hxarsa0b.gr"), ("例。com", "xn--fsq.com"),
        ("b%C3%BCcher.example", "xn--bcher-kva.example"), ("ไทย.th", "xn--o3cw4h.th"),
    ])
    func `international names become punycode`(text: String, expected: String) throws {
        #expect(try host(text) == expected)
    }

    @Test(arguments: [
        "a\u{AD}b.com", "a\u{200B}b.com", "a\u{200D}b.com", "①②⑦.com", "¹.com", "𝟏.com", "bu\u{308}cher.com",
        "\u{FB01}x.com", "\u{308}a.com", "STRA\u{1E9E}E.de", "\u{130}x.com", "i\u{2764}.ws", "a\u{202E}b.com",
        "\u{FFFD}.com", "\u{FFFF}y.com", "℀.com", "\u{3099}か.com", "\u{E000}.com",
    ])
    func `an international name without one certain spelling is refused`(text: String) {
        #expect(throws: SourceURLError.ambiguousHost) { try host(text) }
    }

    @Test func `an encoded label cannot be extended`() {
        #expect(throws: SourceURLError.invalidHost) { try host("xn--bcher-kvaü.example") }
    }
}
