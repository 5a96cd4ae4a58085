// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("output=raw hands on the original as it came, if it is a picture", .endToEnd)
struct RawTests {
    @Test func `its bytes are the original's, behind the usual fields, and no decoder works`() throws {
        let picture = Pictures.gradient(60, 40)
        let origin = ScriptedOrigin { $0.picture(picture) }
        let daemon = try DaemonUnderTest()
        for options in ["output=raw", "output=raw", "output=raw&w=5&blur=3&pad=4"] {
            let reply = try daemon.get(origin.url(), options)
            #expect(reply.status == 200 && reply.body == picture)
            #expect(reply["Content-Type"] == "image/png")
            #expect(reply["X-Content-Type-Options"] == "nosniff")
            #expect(reply["Content-Security-Policy"] == "default-src 'none'; sandbox")
        }
        #expect(try daemon.metric("pictor_renders_total") == 0)
        #expect(origin.heads.count == 1)
        let first = try daemon.get(origin.url(), "output=raw&filename=x&attachment")
        #expect(first["Content-Disposition"] == "attachment; filename=x.png")
        let tag = try #require(first["ETag"])
        #expect(try daemon.get(origin.url(), "output=raw", fields: [("If-None-Match", tag)]).status == 304)
        let part = try daemon.get(origin.url(), "output=raw", fields: [("Range", "bytes=2-5")])
        #expect(part.status == 206 && part.body == Array(picture[2...5]))
        #expect(try daemon.get(origin.url(), "w=5")["ETag"] != tag)
    }

    @Test func `what is no picture, or none that the settings allow, is refused`() throws {
        let page = ScriptedOrigin {
            $0.answer(
                fields: ["Content-Type: text/html"], body: "<html><script>alert(1)</script></html>".utf8)
        }
        let drawing = ScriptedOrigin {
            $0.picture(Array("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>".utf8))
        }
        let daemon = try DaemonUnderTest()
        let plain = try daemon.get(page.url(), "w=5").status
        #expect(plain >= 400)
        #expect(try daemon.get(page.url(), "output=raw").status == plain)
        #expect(try daemon.get(drawing.url(), "output=raw").status == 415)
        let allowing = try DaemonUnderTest(["--decoder-formats", "png,svg"])
        let shown = try allowing.get(drawing.url(), "output=raw")
        #expect(shown.status == 200 && shown["Content-Type"] == "image/svg+xml")
        #expect(shown["Content-Security-Policy"] == "default-src 'none'; sandbox")
    }
}
