// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("encoding=base64 is a data: URL of the same bytes", .endToEnd)
struct Base64Tests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.noise(31, 17)) }

    @Test func `the text decodes to the picture, with a tag and a length of its own`() throws {
        let daemon = try DaemonUnderTest()
        for format in ["png", "jpg", "webp"] {
            let picture = try daemon.get(origin.url(), "output=\(format)")
            for _ in 1...2 {
                let text = try daemon.get(origin.url(), "output=\(format)&encoding=base64")
                #expect(text.status == 200)
                #expect(text["Content-Type"] == "text/plain")
                #expect(text["Content-Length"] == "\(text.body.count)")
                #expect(text["ETag"] != picture["ETag"])
                let parts = text.text.split(separator: ",", maxSplits: 1)
                #expect(parts.first == "data:\(picture["Content-Type"] ?? "?");base64")
                #expect(Data(base64Encoded: String(parts.last ?? "")) == Data(picture.body))
                let again = try daemon.get(
                    origin.url(), "output=\(format)&encoding=base64",
                    fields: [("If-None-Match", text["ETag"] ?? "")])
                #expect(again.status == 304)
            }
            // Neither form stands in for the other.
            #expect(try daemon.get(origin.url(), "output=\(format)&dpr=1").body == picture.body)
        }
        #expect(try daemon.metric("pictor_renders_total") == 3)
    }

    @Test func `a part of it is a part of the text`() throws {
        let daemon = try DaemonUnderTest()
        let part = try daemon.get(origin.url(), "encoding=base64", fields: [("Range", "bytes=0-10")])
        #expect(part.status == 206)
        #expect(part.text == "data:image/")
    }

    @Test func `many slow readers cost no copy each`() throws {
        let picture = Pictures.flat(1_400, 1_170, [1, 2, 3])
        let large = ScriptedOrigin { $0.picture(picture) }
        // 4.9 MB, which are 6.5 MB of text.
        let options = "w=1390&output=png&l=0&encoding=base64"
        let daemon = try DaemonUnderTest(["--cache-memory", "8MiB"])
        let text = try daemon.get(large.url(), options)
        try #require(text.body.count > 5_000_000)
        let before = daemon.residentBytes
        let readers = try (0..<40).map { _ in try Connection(port: daemon.port) }
        for reader in readers { try reader.request(DaemonUnderTest.target(large.url(), options)) }
        // Each has its head, and as much of its text as its socket takes.
        for reader in readers { #expect(try reader.hasInput()) }
        #expect(daemon.residentBytes - before < 64 << 20)
        for reader in readers.prefix(3) { #expect(try reader.reply().body == text.body) }
        let part = try daemon.get(large.url(), options, fields: [("Range", "bytes=20-4000019")])
        #expect(part.status == 206 && part.body[...] == text.body[20...4_000_019])
    }
}
