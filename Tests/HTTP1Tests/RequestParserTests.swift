// SPDX-License-Identifier: Apache-2.0

import HTTP1
import HTTPSemantics
import Testing

struct RequestParserTests {
    @Test func `a request is read whole, with its fields in order`() throws {
        let found = try #require(Reading(Messages.good[1] + "next").found)
        #expect(found.method == "GET")
        #expect(found.target == "/img?url=https://a.example/%C3%A9.jpg&w=300")
        #expect(found.authority == "example.com:8080")
        #expect(
            found.fields.list == [
                Fields.Field("hOST", "example.com:8080"), Fields.Field("Accept", "image/avif,image/webp"),
            ])
        #expect(found.accept == "image/avif,image/webp")
        #expect(found.length == Messages.good[1].utf8.count, "what follows the head is not its own")
    }

    @Test(arguments: Messages.good) func `a valid head is accepted`(text: String) {
        #expect(Reading(text).found != nil)
    }

    @Test(arguments: Messages.bad) func `a faulty head is refused for its fault`(
        text: String, error: MessageError
    ) {
        #expect(Reading(text) == .refused(error))
    }

    @Test func `a head without its last byte is incomplete`() {
        for text in Messages.good { #expect(Reading(String(text.unicodeScalars.dropLast())) == .incomplete) }
    }

    @Test func `the absolute form's host comes before the Host field`() throws {
        let found = try #require(Reading(Messages.good[6]).found)
        #expect(found.authority == "Example.com:81")
        #expect(found.target == "/a?b")
        #expect(Reading(Messages.good[7]).found?.target == "/", "an empty path is the root")
        let ofServer = Reading("OPTIONS http://h HTTP/1.1\r\nHost: h\r\n\r\n").found
        #expect(ofServer?.target == "*", "and with OPTIONS the whole server")
    }

    @Test func `keep-alive is the default of 1.1 and the exception of 1.0`() {
        func keeps(_ version: String, _ connection: String) -> Bool? {
            Reading("GET / HTTP/\(version)\r\nHost: x\r\n\(connection)\r\n").found?.keepsAlive
        }
        #expect(keeps("1.1", "") == true)
        #expect(keeps("1.1", "Connection: close\r\n") == false)
        #expect(keeps("1.1", "Connection: x\r\nConnection: y ,\tClose\r\n") == false)
        #expect(keeps("1.0", "") == false)
        #expect(keeps("1.0", "Connection: keep-alive\r\n") == true)
        #expect(keeps("1.0", "Connection: keep-alive, close\r\n") == false)
    }

    @Test func `the body's framing is told`() {
        #expect(Reading(Messages.good[9]).found?.framing == .length(12))
        #expect(Reading(Messages.good[9]).found?.expectsContinue == true)
        #expect(Reading(Messages.good[10]).found?.framing == .chunked)
        #expect(Reading(Messages.good[0]).found?.framing == Framing.none)
    }

    @Test func `an HTTP/1.0 client's 100-continue is ignored`() {
        let text = "POST / HTTP/1.0\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n"
        #expect(Reading(text).found?.expectsContinue == false)
    }

    @Test func `a field on two lines is known to be repeated`() throws {
        var parser = RequestParser(limits: ParserLimits())
        #expect(try bytes(Messages.good[13]).withUnsafeBytes { try parser.parse($0) } == .complete)
        #expect(parser.head.isRepeated(.accept))
        #expect(!parser.head.isRepeated(.host))
        #expect(!parser.head.has(.range))
    }

    @Test(arguments: KnownField.allCases) func `a known field is found whatever its case`(field: KnownField)
        throws
    {
        let value =
            switch field {
            case .host: "x"
            case .contentLength: "7"
            case .transferEncoding: "chunked"
            case .expect: "100-continue"
            default: "some value"
            }
        let host = field == .host ? "" : "Host: x\r\n"
        let text = bytes("POST / HTTP/1.1\r\n\(host)\("\(field.name)".uppercased()): \(value)\r\n\r\n")
        var parser = RequestParser(limits: ParserLimits())
        #expect(try text.withUnsafeBytes { try parser.parse($0) } == .complete)
        let range = try #require(parser.head.value(field))
        #expect(text.withUnsafeBytes { String(decoding: range.slice(of: $0), as: UTF8.self) } == value)
    }
}

struct ParserLimitsTests {
    private var limits: ParserLimits {
        var limits = ParserLimits()
        limits.headBytes = 100
        limits.targetBytes = 20
        limits.fields = 3
        return limits
    }

    @Test func `a target may be as long as its limit and no longer`() {
        func reading(_ count: Int) -> Reading {
            let target = "/" + String(repeating: "a", count: count - 1)
            return Reading("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n", limits: limits)
        }
        #expect(reading(20).found != nil)
        #expect(reading(21) == .refused(.targetTooLong))
    }

    @Test func `a head may be as long as its limit and no longer`() {
        func reading(_ count: Int) -> Reading {
            let start = "GET / HTTP/1.1\r\nHost: x\r\nA: "
            let filler = String(repeating: "a", count: count - start.utf8.count - 4)
            return Reading("\(start)\(filler)\r\n\r\n", limits: limits)
        }
        #expect(reading(100).found != nil)
        #expect(reading(101) == .refused(.headTooLarge))
    }

    @Test func `more fields than the limit are refused`() {
        func reading(_ count: Int) -> Reading {
            let fields = (0..<count).map { "A\($0):\r\n" }.joined()
            return Reading("GET / HTTP/1.0\r\n\(fields)\r\n", limits: limits)
        }
        #expect(reading(3).found != nil)
        #expect(reading(4) == .refused(.tooManyFields))
    }

    @Test func `an endless head is refused before its end is seen`() {
        let text = "GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 200)
        #expect(Reading(text, limits: limits) == .refused(.headTooLarge))
        #expect(
            Reading("GET /" + String(repeating: "a", count: 200), limits: limits) == .refused(.targetTooLong))
    }
}
