// SPDX-License-Identifier: Apache-2.0

import HTTP1
import Testing

/// The result of decoding a chunked body.
struct BodyReading: Equatable {
    static var limits: ParserLimits {
        var limits = ParserLimits()
        limits.bodyBytes = 64
        limits.chunkOverheadBytes = 200
        return limits
    }

    var content: [UInt8] = []
    var consumed = 0
    var isComplete = false
    var error: MessageError?

    init(_ bytes: [UInt8], cuts: some Sequence<Int> = [], framing: Framing = .chunked) {
        do {
            var decoder = try BodyDecoder(framing, limits: Self.limits)
            var start = 0
            for end in Array(cuts) + [bytes.count] {
                let piece = Array(bytes[start..<end])
                consumed += try piece.withUnsafeBytes { buffer in
                    try decoder.decode(buffer) { content += $0 }
                }
                start = end
                if decoder.isComplete { break }
            }
            isComplete = decoder.isComplete
        } catch {
            self.error = error as? MessageError
            // How many bytes were consumed before the fault depends on the pieces.
            consumed = 0
        }
    }
}

struct BodyTests {
    static let good: [(String, String)] = [
        ("0\r\n\r\n", ""),
        ("5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("A\r\n0123456789\r\n00a\r\n0123456789\r\n000\r\n\r\n", "01234567890123456789"),
        // RFC 9112 §7.1.1: extensions are ignored.
        ("5;a;b=c;d=\"e;\\\" x\"\r\nhello\r\n0;last\r\n\r\n", "hello"),
        // §7.1.2: trailers are read and dropped.
        ("2\r\nhi\r\n0\r\nX-Digest: abc\r\nEmpty:\r\n\r\n", "hi"),
        // The largest allowed content, in one chunk and in two.
        ("40\r\n\(String(repeating: "a", count: 64))\r\n0\r\n\r\n", String(repeating: "a", count: 64)),
        (
            "3f\r\n\(String(repeating: "a", count: 63))\r\n1\r\na\r\n0\r\n\r\n",
            String(repeating: "a", count: 64)
        ),
    ]

    static let bad: [(String, MessageError)] = [
        ("\r\n", .badChunk), ("g\r\n", .badChunk), ("-1\r\n", .badChunk), ("+1\r\n", .badChunk),
        ("0x1\r\n", .badChunk), (" 1\r\n", .badChunk), ("1 \r\n", .badChunk), ("1\n", .badChunk),
        ("1\r\r\n", .badChunk), ("1;\n", .badChunk), ("1;a b\r\n", .badChunk), ("1;a=\"b\r\n", .badChunk),
        ("1_0\r\n", .badChunk), ("1,1\r\n", .badChunk), ("1\u{0}\r\n", .badChunk), ("1\t\r\n", .badChunk),
        (";a\r\n", .badChunk), ("1\rx", .badChunk), ("1;a=\"\r\n\"\r\n", .badChunk),
        ("1;a=\"\\\r\n", .badChunk), ("1;\u{0}\r\n", .badChunk), ("1;a\rb\r\n", .badChunk),
        ("2\r\nab0\r\n", .badChunk), ("2\r\nab\rx", .badChunk),
        ("2\r\nabc\r\n", .badChunk), ("2\r\nab\n", .badChunk), ("2\r\nab\r\r", .badChunk),
        ("0\r\nX\r\n", .badTrailer), ("0\r\n X: y\r\n", .badTrailer), ("0\r\nX : y\r\n", .badTrailer),
        ("0\r\nX: a\nb\r\n", .badTrailer), ("0\r\nX: \u{0}\r\n", .badTrailer),
        // RFC 9110 §6.5.1: not in trailers.
        ("0\r\nContent-Length: 3\r\n", .badTrailer), ("0\r\nHOST: x\r\n", .badTrailer),
        ("0\r\nTransfer-Encoding: chunked\r\n", .badTrailer),
        ("0\r\nAuthorization: x\r\n", .badTrailer), ("0\r\ncache-control: no-cache\r\n", .badTrailer),
        ("0\r\nIf-None-Match: *\r\n", .badTrailer), ("0\r\nexpect: 100-continue\r\n", .badTrailer),
        ("0\r\n: x\r\n", .badTrailer), ("0\r\n\rx", .badTrailer), ("0\r\n\n", .badTrailer),
        ("0\r\nX: y\r\n z\r\n", .badTrailer), ("0\r\nX: y\rz\r\n", .badTrailer),
        ("41\r\n", .bodyTooLarge), ("40\r\n\(String(repeating: "a", count: 64))\r\n1\r\n", .bodyTooLarge),
        ("ffffffffffffffffffffffff\r\n", .bodyTooLarge),
        ("1;\(String(repeating: "a", count: 300))\r\n", .bodyTooLarge),
        ("0\r\n\(String(repeating: "X: y\r\n", count: 50))", .bodyTooLarge),
    ]

    static var all: [String] { good.map(\.0) + bad.map(\.0) }

    @Test(arguments: good) func `a chunked body is read to its end and no further`(
        text: String, content: String
    ) {
        let reading = BodyReading(bytes(text + "GET / HTTP/1.1\r\n"))
        #expect(reading.isComplete)
        #expect(reading.content == bytes(content))
        #expect(reading.consumed == text.utf8.count)
    }

    @Test(arguments: bad) func `a faulty chunked body is refused`(text: String, error: MessageError) {
        #expect(BodyReading(bytes(text)).error == error)
    }

    @Test func `a body of known length ends after so many bytes`() {
        let reading = BodyReading(bytes("hello, world"), framing: .length(5))
        #expect(reading.content == bytes("hello"))
        #expect(reading.consumed == 5)
        #expect(reading.isComplete)
        #expect(!BodyReading(bytes("hell"), framing: .length(5)).isComplete)
    }

    @Test func `a length over the limit is refused before a byte is read`() {
        #expect(BodyReading([], framing: .length(64)).error == nil)
        #expect(BodyReading([], framing: .length(65)).error == .bodyTooLarge)
    }
}
