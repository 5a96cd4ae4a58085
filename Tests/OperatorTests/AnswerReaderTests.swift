// SPDX-License-Identifier: Apache-2.0

import Operator
import Testing

@Suite("An answer is read wherever its bytes are split")
struct AnswerReaderTests {
    private static let answers: [(text: String, status: Int, bytes: Int, keeps: Bool)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nServer-Timing: total;dur=1\r\n\r\nhello", 200, 5, true),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\nA\r\n0123456789\r\n0\r\nT: v\r\n\r\n",
            200, 15, true
        ),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", 304, 0, true),
        ("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n", 204, 0, false),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", 503, 0, true),
        ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, 1, false),
    ]

    @Test func `whole, split in two anywhere, and byte by byte`() throws {
        for answer in Self.answers {
            let bytes = Array(answer.text.utf8)
            let splits = (0...bytes.count).map { [bytes[..<$0], bytes[$0...]] }
            for parts in splits + [bytes.indices.map { bytes[$0...$0] }] {
                var reader = AnswerReader()
                for part in parts where !part.isEmpty {
                    #expect(!reader.isComplete)
                    let used = try reader.take(part)
                    #expect(used == part.count)
                }
                #expect(reader.isComplete)
                #expect(reader.status == answer.status && reader.bodyBytes == answer.bytes)
                #expect(reader.keepsAlive == answer.keeps, "\(answer.text)")
            }
        }
    }

    @Test func `what follows an answer is left`() throws {
        var reader = AnswerReader()
        let used = try reader.take(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxyz".utf8)[...])
        #expect(used == 39)
        #expect(reader.isComplete && reader.bodyBytes == 1)
    }

    @Test func `an answer without a length ends with the connection, another is cut short by that`() throws {
        var open = AnswerReader()
        _ = try open.take(Array("HTTP/1.1 200 OK\r\n\r\nabc".utf8)[...])
        #expect(!open.isComplete)
        let isWhole = open.end()
        #expect(isWhole && open.bodyBytes == 3 && !open.keepsAlive)
        for text in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"] {
            var cut = AnswerReader()
            _ = try cut.take(Array(text.utf8)[...])
            let isWhole = cut.end()
            #expect(!isWhole, "\(text)")
        }
    }

    @Test(arguments: [
        "SSH-2.0-x\r\n", "HTTP/1.1 99 x\r\n", "HTTP/1.1 abc\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n",
        "HTTP/1.1 200 " + String(repeating: "x", count: 20_000),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8000000000000000\r\n",
    ])
    func `what is no HTTP is refused`(_ text: String) {
        #expect(throws: AnswerReader.Malformed.self) {
            var reader = AnswerReader()
            _ = try reader.take(Array(text.utf8)[...])
        }
    }
}
