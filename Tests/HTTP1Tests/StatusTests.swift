// SPDX-License-Identifier: Apache-2.0

import HTTP1
import HTTPSemantics
import Testing

@Suite("A status line says what RFC 9110 §15 says")
struct StatusTests {
    private static let phrases: [Int: String] = [
        200: "OK", 202: "Accepted", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently",
        302: "Found", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
        412: "Precondition Failed",
        413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
        416: "Range Not Satisfiable", 417: "Expectation Failed", 421: "Misdirected Request",
        422: "Unprocessable Content",
        429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
        501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        505: "HTTP Version Not Supported", 508: "Loop Detected",
    ]

    private func line(_ status: Int, length: Int = 7) -> String {
        var buffer = FieldBuffer()
        ResponseHead.write(status: status, fields: Fields(), framing: .length(length), into: &buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    @Test(arguments: 200...599)
    func `a status has its phrase, or none`(status: Int) {
        #expect(line(status).hasPrefix("HTTP/1.1 \(status) \(Self.phrases[status] ?? "")\r\n"))
    }

    @Test(arguments: [(0, 100), (99, 100), (100, 100), (999, 999), (1000, 999), (.min, 100), (.max, 999)])
    func `a status has three digits, whatever it is`(status: Int, spelled: Int) {
        #expect(line(status).hasPrefix("HTTP/1.1 \(spelled) \r\n"))
    }

    /// RFC 9112 §6.3 item 1.
    @Test(arguments: [
        (100, false), (199, false), (200, true), (203, true), (204, false), (205, true), (303, true),
        (304, false), (305, true), (404, true), (500, true),
    ])
    func `a status has content or ends with its head`(status: Int, hasContent: Bool) {
        #expect(ResponseHead.hasContent(status) == hasContent)
        #expect(line(status).contains("\r\nContent-Length: 7\r\n") == hasContent)
    }
}

@Suite("A buffer of fields grows as it is written")
struct FieldBufferGrowthTests {
    @Test(arguments: [0, 1, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097, 100_000])
    func `whatever is written is in it`(count: Int) {
        for capacity in [0, 1, 64, 4096] {
            var buffer = FieldBuffer(capacity: capacity)
            let text = (0..<count).map { UInt8(0x61 + $0 % 26) }
            buffer.writeRaw("<")
            text.withUnsafeBytes { buffer.writeRaw($0) }
            text.withUnsafeBytes { buffer.add($0) }
            buffer.add(.min)
            buffer.writeRaw(">")
            let expected = Array("<".utf8) + text + text + Array("\(Int.min)>".utf8)
            #expect(Array(buffer.bytes) == expected)
        }
    }

    @Test(arguments: [(-1, 0), (0, 0), (2, 2), (3, 3), (4, 3), (.max, 3)])
    func `truncating makes it no longer`(length: Int, left: Int) {
        var buffer = FieldBuffer()
        buffer.writeRaw("abc")
        buffer.truncate(to: length)
        #expect(buffer.count == left)
        buffer.writeRaw("d")
        #expect(String(decoding: buffer.bytes, as: UTF8.self) == "abc".prefix(left) + "d")
    }
}
