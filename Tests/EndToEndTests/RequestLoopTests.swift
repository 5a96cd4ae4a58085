// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("An origin that asks Pictor for what it is asked for is told so", .endToEnd)
struct RequestLoopTests {
    private let origin = ScriptedOrigin {
        $0.answer(
            fields: ["Content-Type: image/png", "Cache-Control: no-store"], body: Pictures.gradient(8, 8))
    }

    @Test func `a request with the mark of its own source is a 508`() throws {
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(origin.url("/a"), "w=4").status == 200)
        let mark = try #require(origin.heads.last?.value(of: "CDN-Loop"))
        #expect(mark.hasPrefix("pictor-"))
        for options in ["w=4", "w=5", "default=1", "output=raw"] {
            let reply = try daemon.get(
                origin.url("/a"), options, fields: [("CDN-Loop", "\(mark), cdn.example")])
            #expect(reply.status == 508 && reply.text.contains("request_loop"), "\(options): \(reply.text)")
            #expect(reply["Cache-Control"] == "no-store", "\(options)")
        }
        #expect(origin.heads.count == 1)
    }

    @Test func `a request with the mark of another source is answered`() throws {
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(origin.url("/a"), "w=4").status == 200)
        let mark = try #require(origin.heads.last?.value(of: "CDN-Loop"))
        for value in [mark, "cdn.example", "pictor-0"] {
            #expect(try daemon.get(origin.url("/b"), "w=4", fields: [("CDN-Loop", value)]).status == 200)
        }
        #expect(origin.heads.last?.value(of: "CDN-Loop") != mark)
    }
}
