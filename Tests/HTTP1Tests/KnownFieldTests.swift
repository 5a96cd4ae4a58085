// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTP1
import Testing

@Suite("What is known of a request without reading its fields again")
struct KnownFieldTests {
    /// Valid values for the fields whose values are checked.
    private static let words: [KnownField: String] = [
        .host: "h", .contentLength: "1", .transferEncoding: "chunked", .expect: "100-continue",
    ]

    @Test(arguments: KnownField.allCases)
    func `every field has a place of its own, and its first line is told`(field: KnownField) throws {
        let word = Self.words[field] ?? "word"
        let host = field == .host ? "" : "Host: h\r\n"
        let input = Array("GET / HTTP/1.1\r\n\(host)\(field.name): \(word)\r\n\r\n".utf8)
        var parser = RequestParser(limits: ParserLimits())
        try input.withUnsafeBytes { buffer in
            let progress = try parser.parse(buffer)
            #expect(progress == .complete)
            let view = RequestView(head: parser.head, bytes: buffer, peer: .local)
            #expect(view[field].map { String(decoding: $0, as: UTF8.self) } == word)
            let present = KnownField.allCases.filter { view.head.has($0) }
            #expect(Set(present) == [.host, field])
            #expect(!view.head.isRepeated(field))
        }
    }
}
