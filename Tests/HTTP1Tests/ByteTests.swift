// SPDX-License-Identifier: Apache-2.0

import HTTP1
import HTTPSemantics
import Testing

@Suite("Each byte of a request stands where its grammar has it, and nowhere else")
struct ByteTests {
    private static let digits = "0123456789"
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    private static func set(_ characters: String...) -> Set<UInt8> { Set(characters.joined().utf8) }

    /// RFC 9110 §5.6.2.
    private static let token = set(digits, letters, "!#$%&'*+-.^_`|~")

    private func head(
        method: String = "GET", target: String = "/", name: String = "X", value: String = "y",
        host: String = "h"
    ) -> Reading {
        Reading("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\(name): \(value)\r\n\r\n")
    }

    private func spelled(_ byte: UInt8) -> String { "a" + String(UnicodeScalar(byte)) + "b" }

    @Test(arguments: 0...UInt8.max)
    func `methods and names are tokens`(byte: UInt8) {
        let isToken = Self.token.contains(byte)
        #expect(byte.isTokenByte == isToken)
        // A space ends a method, and what follows is no version; a colon ends a name.
        #expect((head(method: spelled(byte)).found != nil) == isToken)
        #expect((head(name: spelled(byte)).found != nil) == (isToken || byte == UInt8(ascii: ":")))
        let chunked = BodyReading(bytes("1;\(spelled(byte))\r\nx\r\n0\r\n\r\n"))
        #expect((chunked.error == nil) == (isToken || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "=")))
    }

    @Test(arguments: 0...UInt8.max)
    func `a target is of visible ASCII without a number sign`(byte: UInt8) {
        let isTarget = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "#")
        #expect((head(target: "/" + spelled(byte)).found != nil) == isTarget)
    }

    @Test(arguments: 0...UInt8.max)
    func `a value holds every byte but control characters`(byte: UInt8) {
        let isText = byte == 0x09 || byte >= 0x20 && byte != 0x7F
        #expect(ByteClass.isText(byte) == isText)
        // At each position of the eight bytes that are checked at once, and beyond.
        for place in 0..<20 {
            let before = String(repeating: "v", count: place)
            let value = before + spelled(byte) + "end"
            let reading = head(value: value)
            #expect((reading.found != nil) == isText, "\(byte) after \(place)")
        }
        let trailer = BodyReading(bytes("0\r\nX: \(spelled(byte))\r\n\r\n"))
        #expect((trailer.error == nil) == isText)
        let quoted = BodyReading(bytes("1;a=\"\(spelled(byte))\"\r\nx\r\n0\r\n\r\n"))
        // A quotation mark ends the string; then a token follows, and an unclosed string.
        #expect((quoted.error == nil) == (isText && byte != UInt8(ascii: "\"")))
    }

    /// RFC 3986 §3.2.2.
    @Test(arguments: 0...UInt8.max)
    func `a host is a registered name or a literal`(byte: UInt8) {
        let name = Self.set(Self.digits, Self.letters, "-._~!$&'()*+,;=")
        #expect((head(host: spelled(byte)).found != nil) == name.contains(byte), "\(byte)")
        let literal = Self.set(Self.digits, "abcdefABCDEF:.")
        #expect((head(host: "[::\(String(UnicodeScalar(byte)))]").found != nil) == literal.contains(byte))
        let hexadecimal = Self.set(Self.digits, "abcdefABCDEF")
        let letter = String(UnicodeScalar(byte))
        #expect((head(host: "a%\(letter)0b").found != nil) == hexadecimal.contains(byte))
        #expect((head(host: "a%0\(letter)b").found != nil) == hexadecimal.contains(byte))
    }

    @Test(arguments: 0...UInt8.max)
    func `the size of a chunk is hexadecimal`(byte: UInt8) {
        let letter = String(UnicodeScalar(byte))
        guard byte < 0x80, let size = Int(letter, radix: 16) else {
            #expect(BodyReading(bytes("\(letter)\r\n")).error == .badChunk)
            return
        }
        let content = bytes(String(repeating: "x", count: size))
        let last = size > 0 ? "\r\n0\r\n\r\n" : "\r\n"
        let reading = BodyReading(bytes("\(letter)\r\n") + content + bytes(last))
        #expect(reading.isComplete && reading.content == content)
    }

    @Test(arguments: [
        ("h:", true), ("h:0", true), ("h:65535", true), ("h:65536", false), ("h:99999", false),
        ("h:000080", false), ("h:00080", true), ("h:8a", false), ("h::80", false), (":80", true),
        ("[::1]:", true), ("[::1]:65535", true), ("[::1]:65536", false), ("[::1]80", false), ("[]", false),
        ("[:]", false), ("[::]", true), ("[::1", false), ("[", false), ("a..b", false), (".a", false),
        ("a.", true),
        ("a%2", false), ("a%", false), ("a%20", true), ("a%2g", false), ("", true), ("u@h", false),
    ])
    func `a host has a port of five digits at most, or none`(host: String, isValid: Bool) {
        #expect((head(host: host).found != nil) == isValid)
    }
}
