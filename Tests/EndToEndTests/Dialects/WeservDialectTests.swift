// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import TestSupport
import Testing

@Suite("The root with a url answers as wsrv.nl does", .endToEnd)
struct WeservDialectTests {
    private let origin = ScriptedOrigin { peer in
        switch peer.target {
        case "/gone": peer.answer("404 Not Found")
        case "/tea": peer.answer("418 I'm a teapot")
        case "/text": peer.answer(body: "no picture".utf8)
        default: peer.picture(Pictures.gradient(60, 40))
        }
    }

    private func target(_ path: String, _ options: String = "") -> String {
        "/" + DaemonUnderTest.target(origin.url(path), options).dropFirst("/img".count)
    }

    @Test func `a picture grows unless it is asked not to, and bad values are passed over`() throws {
        let daemon = try DaemonUnderTest()
        for (options, expected) in [
            ("w=120", [120, 80]), ("w=120&we", [60, 40]), ("w=30&w=10", [30, 20]), ("w=x&h=20", [30, 20]),
            ("w=30px&unknown=1", [30, 20]), ("w=20&h=20&t=square", [20, 20]),
            ("w=30&fit=fill", [30, 40]), ("h=80&fit=fill&dpr=2", [60, 160]),
        ] {
            let reply = try daemon.get(target("/a", options))
            #expect(reply.status == 200, "\(options): \(reply.text)")
            #expect(try pictureSize(reply) == expected, "\(options)")
            #expect(reply["Content-Disposition"] == "inline; filename=image.png")
        }
    }

    @Test func `its failures are truthful`() throws {
        let daemon = try DaemonUnderTest()
        for (path, status, code) in [
            ("/gone", 404, "origin_status"), ("/tea", 502, "origin_status"), ("/text", 415, "not_an_image"),
        ] {
            let reply = try daemon.get(target(path))
            #expect(reply.status == status)
            #expect(reply.text.contains("\"error\":\"\(code)\""))
        }
        #expect(try daemon.get("/?url=http:%5C%5Cfoobar").status == 400)
    }

    @Test func `a setting brings back its own statuses and words`() throws {
        let daemon = try DaemonUnderTest(["--weserv-compatible-status", "true"])
        for (path, message) in [
            ("/gone", "The requested URL returned error: 404"),
            ("/tea", "The requested URL returned error: 418"),
            ("/text", "Invalid or unsupported image format. Is it a valid image?"),
        ] {
            let reply = try daemon.get(target(path))
            #expect(reply.status == 404)
            #expect(reply.text == "{\"status\":\"error\",\"code\":404,\"message\":\"\(message)\"}\n")
        }
        let reply = try daemon.get("/?url=http:%5C%5Cfoobar")
        #expect(reply.status == 400)
        #expect(reply.text == "{\"status\":\"error\",\"code\":400,\"message\":\"Unable to parse URI\"}\n")
        // Ours keeps our words.
        #expect(try daemon.get(origin.url("/tea")).status == 502)
    }

    @Test func `the root without a url is nothing`() throws {
        let daemon = try DaemonUnderTest(["--playground-enabled", "false"])
        for target in ["/", "/?", "/?w=5", "/?curl=x"] { #expect(try daemon.get(target).status == 404) }
        #expect(try daemon.get("/?url=x", method: "POST").status == 405)
    }

    @Test func `a URL may be written as people write it, in UTF-8`() throws {
        let daemon = try DaemonUnderTest()
        let base = origin.url("/").absolute
        let raw = try daemon.get("/?url=\(base)café/猫.png&w=30")
        #expect(raw.status == 200, "\(raw.text)")
        #expect(try daemon.get("/?url=\(base)caf%C3%A9/%E7%8C%AB.png&w=30")["ETag"] == raw["ETag"])
        #expect(try daemon.get("/?url=\(base)café/猫.png&w=30")["Cache-Status"]?.contains("memoryHit") == true)
        #expect(
            origin.heads.map { $0.prefix { !$0.isNewline } } == ["GET /caf%C3%A9/%E7%8C%AB.png HTTP/1.1"])
        #expect(try daemon.get("/café?url=\(base)a").status == 400)
    }

    @Test func `what is no picture has no file name`() throws {
        let daemon = try DaemonUnderTest()
        for options in ["output=json", "encoding=base64", "encoding=base64&filename=x"] {
            let reply = try daemon.get(target("/a", options))
            #expect(reply.status == 200 && reply["Content-Disposition"] == nil, "\(options)")
        }
        #expect(try daemon.get(target("/a", "filename=x"))["Content-Disposition"] == "inline; filename=x.png")
    }

    @Test func `its hits are hits`() throws {
        let daemon = try DaemonUnderTest()
        let first = try daemon.get(target("/a", "w=30"))
        let second = try daemon.get(target("/a", "w=30"))
        #expect(second["Cache-Status"]?.contains(";hit;") == true)
        for name in ["ETag", "Content-Type", "Content-Disposition", "Link"] {
            #expect(second[name] == first[name])
        }
        #expect(second.body == first.body)
    }
}
