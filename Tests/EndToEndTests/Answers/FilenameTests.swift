// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("A picture is saved under the name that was asked for", .endToEnd)
struct FilenameTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(8, 8)) }

    @Test func `the name comes with the extension of what is sent, on hits too`() throws {
        let daemon = try DaemonUnderTest()
        for (options, expected) in [
            ("filename=cat", "inline; filename=cat.png"),
            ("filename=a.b-c_1&output=jpg", "inline; filename=a.b-c_1.jpg"),
            ("filename=dog&output=webp", "inline; filename=dog.webp"), ("output=webp", nil),
            ("filename=dog&attachment", "attachment; filename=dog.png"), ("attachment", "attachment"),
            ("attachment=0", nil), ("attachment=false&filename=a", "inline; filename=a.png"),
        ] {
            for _ in 1...2 {
                #expect(try daemon.get(origin.url(), options)["Content-Disposition"] == expected)
            }
        }
        #expect(try daemon.metric("pictor_renders_total") == 3)
    }

    @Test func `another version is the same picture under another URL`() throws {
        let daemon = try DaemonUnderTest()
        let replies = try ["v=1", "v=2", "v=caf%C3%A9", ""].map { try daemon.get(origin.url(), "w=5&\($0)") }
        #expect(replies.allSatisfy { $0.status == 200 && $0["ETag"] == replies[0]["ETag"] })
        #expect(try daemon.metric("pictor_renders_total") == 1)
    }

    @Test func `a file has no more bytes than are allowed`() throws {
        let noise = ScriptedOrigin { $0.picture(Pictures.noise(200, 150)) }
        let daemon = try DaemonUnderTest()
        for output in ["jpg", "webp", "avif"] {
            let whole = try daemon.get(noise.url(), "output=\(output)").body.count
            let reply = try daemon.get(noise.url(), "output=\(output)&maxbytes=\(whole / 2)")
            #expect(reply.status == 200 && reply.body.count <= whole / 2, "\(output)")
            #expect(reply.body.count > whole / 4, "\(output)")
        }
        #expect(try daemon.get(noise.url(), "maxbytes=0").status == 400)
    }

    @Test func `a name that is none is refused`() throws {
        let daemon = try DaemonUnderTest()
        for name in ["", "a%2Fb", "a%22b", "%C3%BC", String(repeating: "x", count: 79)] {
            #expect(try daemon.get(origin.url(), "filename=\(name)").status == 400)
        }
    }
}
