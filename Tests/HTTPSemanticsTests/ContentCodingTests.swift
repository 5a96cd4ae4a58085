// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import Testing

@Suite struct ContentCodingTests {
    private func applied(_ values: String...) throws -> ContentCoding? {
        try ContentCoding.applied(by: Fields(values.map { Fields.Field("Content-Encoding", $0) }))
    }

    @Test(
        arguments: [
            ("gzip", ContentCoding.gzip), ("x-gzip", .gzip), ("GZip", .gzip), ("deflate", .deflate),
            ("identity, gzip", .gzip), (" , deflate\t,", .deflate), ("identity", nil), ("", nil),
            ("br", .brotli), ("identity, BR", .brotli), ("zstd", .zstd), ("utf-8", nil),
            ("binary, none", nil),
        ] as [(String, ContentCoding?)])
    func `one coding is known by its name, and a name of none counts for nothing`(
        value: String, coding: ContentCoding?
    ) throws {
        #expect(try applied(value) == coding)
    }

    @Test func `without the field there is none`() throws { #expect(try applied() == nil) }

    @Test(arguments: [
        "compress", "X-Compress", "dcb", "br, zstd", "gzip, br", "gzip, gzip", "gzip deflate",
        "deflate,x-gzip",
    ])
    func `codings that are not taken, and two of them, are refused`(value: String) {
        #expect(throws: ContentCoding.UnsupportedCoding.self) { try applied(value) }
    }

    @Test func `two fields are one list`() {
        #expect(throws: ContentCoding.UnsupportedCoding.self) { try applied("gzip", "gzip") }
    }

    @Test func `what is unpacked is limited by size and, beyond a mebibyte, by its ratio`() {
        #expect(ContentCoding.unpackedLimit(ofPacked: 0, limit: 1 << 30) == 1 << 20)
        #expect(ContentCoding.unpackedLimit(ofPacked: 5242, limit: 1 << 30) == 1 << 20)
        #expect(ContentCoding.unpackedLimit(ofPacked: 5243, limit: 1 << 30) == 1_048_600)
        #expect(ContentCoding.unpackedLimit(ofPacked: 10_000, limit: 1 << 30) == 2_000_000)
        #expect(ContentCoding.unpackedLimit(ofPacked: 10_000, limit: 1_000_000) == 1_000_000)
        #expect(ContentCoding.unpackedLimit(ofPacked: .max, limit: 5) == 5)
    }
}
