// SPDX-License-Identifier: Apache-2.0

import HTTP1
import HTTPSemantics
import Testing

@Suite("How long a body is, is told by its head alone")
struct FramingTests {
    private func framing(_ field: String) -> Framing? {
        Reading("POST / HTTP/1.1\r\nHost: x\r\n\(field)\r\n\r\n").found?.framing
    }

    @Test(
        arguments: [
            ("0", .none), ("00", .none), ("1", .length(1)), ("01", .length(1)), ("2", .length(2)),
            ("10", .length(10)), ("65536", .length(65_536)),
            ("999999999999999999", .length(999_999_999_999_999_999)),
            ("000000000000000009", .length(9)),
        ] as [(String, Framing)])
    func `a length is what its digits say`(text: String, framing: Framing) {
        #expect(self.framing("Content-Length: \(text)") == framing)
    }

    @Test(arguments: ["1000000000000000000", "0000000000000000009", "", "/", ":", "9:", "/9"])
    func `any other length is refused`(text: String) {
        let reading = Reading("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(text)\r\n\r\n")
        #expect(reading == .refused(.badContentLength))
    }

    @Test func `without a length there is no body`() {
        #expect(framing("X: y") == Framing.none)
        #expect(framing("Transfer-Encoding: chunked") == .chunked)
    }

    /// The bytes of a chunked body that are not content: `1\r\n` and `\r\n` of each chunk, `0\r\n\r\n` at the end.
    @Test func `what is no content has a bound of its own`() {
        let limit = BodyReading.limits.chunkOverheadBytes
        #expect(limit % 5 == 0)
        func body(_ chunks: Int, extra: Int) -> [UInt8] {
            let extensions = extra > 0 ? ";" + String(repeating: "a", count: extra - 1) : ""
            return bytes(String(repeating: "1\r\nx\r\n", count: chunks) + "0\(extensions)\r\n\r\n")
        }
        let chunks = limit / 5 - 1
        #expect(BodyReading(body(chunks, extra: 0)).isComplete)
        #expect(BodyReading(body(chunks, extra: 1)).error == .bodyTooLarge)
        #expect(BodyReading(body(chunks - 1, extra: 5)).isComplete)
        #expect(BodyReading(body(chunks - 1, extra: 6)).error == .bodyTooLarge)
    }
}
