// SPDX-License-Identifier: Apache-2.0

import ImageModel
import TestSupport
import Testing

@Suite("A client that cannot have its picture is sent to its default one", .endToEnd)
struct DefaultPictureTests {
    private let origin = ScriptedOrigin { peer in
        switch peer.target {
        case "/gone": peer.answer("404 Not Found")
        case "/circle": peer.redirect(to: "/circle")
        default: peer.picture(Pictures.flat(4, 4, [1, 2, 3]))
        }
    }

    @Test func `any refusal becomes a redirect that is kept as long`() throws {
        let daemon = try DaemonUnderTest()
        let plain = try daemon.get(origin.url("/gone"))
        for options in [
            "default=https://b.com/x%3Fy", "w=5&default=//b.com/x%3Fy", "default=b.com/x%3Fy%23f",
        ] {
            let reply = try daemon.get(origin.url("/gone"), options)
            #expect(reply.status == 302)
            #expect(reply["Location"] == "https://b.com/x?y")
            #expect(reply["Cache-Control"] == plain["Cache-Control"])
            #expect(reply.text == plain.text)
        }
        for target in [
            "/img?default=https://b.com", "/img?url=a.com&blurr&default=https://b.com",
            "/?url=http:%5C%5Cfoobar&errorredirect=https://b.com",
        ] {
            let reply = try daemon.get(target)
            #expect(reply.status == 302)
            #expect(reply["Location"] == "https://b.com/")
            #expect(reply["Cache-Control"] == "no-store")
        }
    }

    @Test func `one is the source itself, unless that leads into a circle or where we may not go`() throws {
        let daemon = try DaemonUnderTest()
        let reply = try daemon.get(origin.url("/gone"), "default=1")
        #expect(reply.status == 302)
        #expect(reply["Location"] == origin.url("/gone").absolute)
        #expect(try daemon.get(origin.url("/circle"), "default=1").status == 508)
        #expect(
            try DaemonUnderTest(["--origin-allow-private", "false"]).get(origin.url("/a"), "default=1").status
                == 400)
    }

    @Test func `a default that is no http URL is none`() throws {
        let daemon = try DaemonUnderTest()
        for text in ["javascript:alert(1)", "ftp://b.com", "http://me@b.com", "%0d%0aX:y", ""] {
            let reply = try daemon.get(origin.url("/gone"), "default=\(text)")
            #expect(reply.status == 400, "\(text)")
            #expect(reply["Location"] == nil)
        }
    }

    @Test func `a picture that can be had is had`() throws {
        #expect(try DaemonUnderTest().get(origin.url("/a"), "default=https://b.com").status == 200)
    }
}
