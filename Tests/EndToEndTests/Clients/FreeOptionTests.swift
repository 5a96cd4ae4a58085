// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import SourceURLs
import TestSupport
import Testing

@Suite("Options that need no signature", .endToEnd)
struct FreeOptionTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    @Test func `are the only ones that an unsigned URL may have`() throws {
        let daemon = try DaemonUnderTest(
            [
                "--signatures-required", "native,weserv", "--signatures-free-options", "w,h,output",
                "--options-presets", "thumb=w=20",
            ], environment: ["PICTOR_SIGNATURES_KEYS": "0123456789abcdef0123456789abcdef"])
        let source = origin.url("/a")
        let closed = [
            "w=30&q=50", "w=30&w=20", "w=30&default=1", "preset=thumb", "w=30&unknown=1", "w=30&filename=a",
        ]
        for options in closed {
            let reply = try daemon.get(source, options)
            #expect(reply.status == 401, "\(options)")
            #expect(reply.text.contains("\"error\":\"signature_missing\""), "\(options): \(reply.text)")
            #expect(reply["Cache-Control"] == "no-store", "\(options)")
        }
        let wrong = try daemon.get(source, "w=30&sig=wrong")
        #expect(wrong.status == 403 && wrong.text.contains("signature_wrong"), "\(wrong.text)")
        #expect(try daemon.get("/?url=\(source.absolute)&w=30").status == 401, "another dialect has none")
        #expect(origin.heads.isEmpty)
        for options in ["w=30", "h=20&w=30", "output=png&w=30"] {
            let reply = try daemon.get(source, options)
            #expect(reply.status == 200, "\(options): \(reply.text)")
            #expect(try ImageHeader.parse(reply.body).width == 30, "\(options)")
        }
    }
}
