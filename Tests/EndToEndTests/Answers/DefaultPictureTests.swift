// SPDX-License-Identifier: Apache-2.0

import SourceURLs
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

    /// For how long clients may keep an answer, and nothing else of that.
    private func seconds(_ reply: Connection.Reply) throws -> Int {
        let control = try #require(reply["Cache-Control"])
        return try #require(control.wholeMatch(of: /public, max-age=([0-9]+)/).flatMap { Int($0.1) })
    }

    private static let hosts = ["--options-default-hosts", "b.com,127.0.0.1"]

    @Test func `any refusal becomes a redirect that is kept as long`() throws {
        let daemon = try DaemonUnderTest(Self.hosts)
        let plain = try daemon.get(origin.url("/gone"))
        for options in [
            "default=https://b.com/x%3Fy", "w=5&default=//b.com/x%3Fy", "default=b.com/x%3Fy%23f",
        ] {
            let reply = try daemon.get(origin.url("/gone"), options)
            #expect(reply.status == 302)
            #expect(reply["Location"] == "https://b.com/x?y")
            // As long as it is remembered, of which some may have passed.
            #expect(try (30...60).contains(seconds(reply)) && (30...60).contains(seconds(plain)))
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
        let daemon = try DaemonUnderTest(Self.hosts)
        let reply = try daemon.get(origin.url("/gone"), "default=1")
        #expect(reply.status == 302)
        #expect(reply["Location"] == origin.url("/gone").absolute)
        #expect(try daemon.get(origin.url("/circle"), "default=1").status == 508)
        #expect(
            try DaemonUnderTest(Self.hosts + ["--origin-allow-private", "false"])
                .get(origin.url("/a"), "default=1").status
                == 400)
    }

    @Test func `a default that is no http URL is none`() throws {
        let daemon = try DaemonUnderTest(["--options-default-hosts", "*"])
        for text in ["javascript:alert(1)", "ftp://b.com", "http://me@b.com", "%0d%0aX:y", ""] {
            let reply = try daemon.get(origin.url("/gone"), "default=\(text)")
            #expect(reply.status == 400, "\(text)")
            #expect(reply["Location"] == nil)
        }
    }

    @Test func `a picture that can be had is had`() throws {
        let daemon = try DaemonUnderTest(Self.hosts)
        #expect(try daemon.get(origin.url("/a"), "default=https://b.com").status == 200)
    }

    /// The endpoint `/?…` of wsrv.nl's URLs is lenient: what is not allowed there is not done, and no mistake.
    @Test func `nobody is sent to a host that the settings do not name`() throws {
        let daemon = try DaemonUnderTest(["--options-default-hosts", "b.com,*.c.com"])
        let gone = origin.url("/gone").absolute
        for place in ["https://evil.test/", "https://b.com.evil.test/", "https://c.com/", "1", "//evil.test"]
        {
            for source in [gone, origin.url("/a").absolute] {
                let reply = try daemon.get("/img?url=\(source)&default=\(place)")
                #expect(reply.status == 400, "\(place)")
                #expect(reply.text.contains("bad_parameter") && reply.text.contains("parameter default"))
                #expect(reply["Location"] == nil)
            }
            for key in ["default", "errorredirect"] {
                let reply = try daemon.get("/?url=\(gone)&\(key)=\(place)")
                #expect(reply.status == 404, "\(place)")
                #expect(reply["Location"] == nil)
            }
            #expect(try daemon.get("/?url=\(origin.url("/a").absolute)&default=\(place)").status == 200)
            #expect(try daemon.get("/img?url=&default=\(place)")["Location"] == nil)
        }
        for place in ["https://b.com/", "https://a.c.com/", "http://B.com:81/"] {
            #expect(try daemon.get("/img?url=\(gone)&default=\(place)").status == 302, "\(place)")
            #expect(try daemon.get("/?url=\(gone)&default=\(place)").status == 302, "\(place)")
        }
    }

    @Test func `while they name none, only the dialect of wsrv_nl's URLs sends anywhere, as wsrv_nl does`()
        throws
    {
        let daemon = try DaemonUnderTest()
        let gone = origin.url("/gone").absolute
        #expect(try daemon.get("/img?url=\(gone)&default=https://b.com").status == 400)
        #expect(try daemon.get("/img?url=\(gone)&default=1").status == 400)
        #expect(try daemon.get("/?url=\(gone)&default=https://b.com")["Location"] == "https://b.com/")
        #expect(try daemon.get("/?url=\(gone)&default=1")["Location"] == gone)
    }

    @Test func `nobody is told by a default where an alias leads`() throws {
        let alias = ["--origin-aliases", "media=\(origin.url("/").absolute)"]
        let daemon = try DaemonUnderTest(alias)
        let reply = try daemon.get("/?url=media/gone&default=1")
        #expect(reply.status == 404 && reply["Location"] == nil)
        #expect(try daemon.get("/?url=media/gone&default=https://b.com")["Location"] == "https://b.com/")
        let open = try DaemonUnderTest(Self.hosts + alias)
        #expect(try open.get("/?url=media/gone&default=1")["Location"] == origin.url("/gone").absolute)
    }

    @Test func `a signed URL sends wherever its site says`() throws {
        let keys = ["PICTOR_SIGNATURES_KEYS": "0123456789abcdef0123456789abcdef"]
        let daemon = try DaemonUnderTest(["--options-default-hosts", "b.com"], environment: keys)
        let gone = origin.url("/gone").absolute
        for dialect in ["native", "weserv"] {
            let made = try PictorCommand(
                ["url", "make", "--dialect", dialect, gone, "default=https://elsewhere.example/"],
                environment: keys
            )
            let target = try #require(made.lines.first, "\(made.error)")
            #expect(try daemon.get(target)["Location"] == "https://elsewhere.example/")
            #expect(try daemon.get(target + "A")["Location"] == nil)
        }
    }
}
