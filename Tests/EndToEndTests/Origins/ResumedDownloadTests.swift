// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("A picture that breaks off is gone on with where it broke off", .endToEnd, .timeLimit(.minutes(2)))
struct ResumedDownloadTests {
    private static let picture = Pictures.gradient(300, 200)
    private static let half = picture.count / 2
    private static let other = Pictures.gradient(150, 100, hue: 3)

    /// The first answer is that head and half of the picture, and ends so; what comes after it the script says.
    private func origin(
        _ fields: [String] = ["ETag: \"one\""],
        ending end: @escaping @Sendable (Peer) -> Void = { $0.close() },
        then script: @escaping @Sendable (Peer) -> Void
    ) -> ScriptedOrigin {
        let asked = Latch()
        return ScriptedOrigin { peer in
            asked.signal()
            guard asked.count == 1 else { return script(peer) }
            let lines = ["Content-Type: image/png", "Cache-Control: max-age=1000"] + fields
            peer.send(
                "HTTP/1.1 200 OK\r\nContent-Length: \(Self.picture.count)\r\n"
                    + lines.map { $0 + "\r\n" }.joined() + "\r\n")
            peer.send(Self.picture[..<Self.half])
            end(peer)
        }
    }

    private static func rest(_ peer: Peer, tag: String = "\"one\"", fields: [String] = []) {
        peer.answer(
            "206 Partial Content",
            fields: ["ETag: \(tag)", "Content-Range: bytes \(half)-\(picture.count - 1)/\(picture.count)"]
                + fields,
            body: picture[half...])
    }

    /// The size that the picture turns out to have.
    private func size(_ reply: Connection.Reply) -> String? {
        reply.text.firstMatch(of: /"width":([0-9]+)/).map { String($0.1) }
    }

    @Test func `the rest is asked for by the version that has begun, and put behind it`() throws {
        let origin = origin { Self.rest($0) }
        let daemon = try DaemonUnderTest()
        let reply = try daemon.get(origin.url(), "w=30")
        #expect(reply.status == 200)
        #expect(origin.heads.count == 2)
        let head = try #require(origin.heads.last?.lowercased())
        #expect(head.contains("\r\nrange: bytes=\(Self.half)-\r\n"))
        #expect(head.contains("\r\nif-range: \"one\"\r\n"))
        #expect(!head.contains("if-none-match"))
        #expect(try daemon.metric("pictor_origin_resumptions_total", "result=\"resumed\"") == 1)
        // The same bytes as in one piece: their digest is in the entity tag.
        let whole = ScriptedOrigin { $0.picture(Self.picture) }
        #expect(try daemon.get(whole.url(), "w=30")["ETag"] == reply["ETag"])
        // And kept by the fields of the first answer.
        #expect(try daemon.get(origin.url(), "w=20").status == 200)
        #expect(origin.heads.count == 2)
    }

    @Test(arguments: ["private", "no-store"])
    func `what its rest is for one client alone is not kept for others`(word: String) throws {
        let control = "Cache-Control: \(word)"
        let origin = origin { peer in
            guard peer.head.lowercased().contains("\r\nrange:") else {
                return peer.answer(fields: ["ETag: \"one\"", control], body: Self.picture)
            }
            Self.rest(peer, fields: [control])
        }
        let daemon = try DaemonUnderTest()
        for asked in [3, 4] {
            let reply = try daemon.get(origin.url(), "w=30")
            #expect(reply.status == 200 && reply["Cache-Control"]?.contains("public") == false)
            #expect(origin.heads.count == asked)
        }
    }

    @Test func `a connection that is reset is gone on with too`() throws {
        let origin = origin(ending: { $0.reset() }) { Self.rest($0) }
        let daemon = try DaemonUnderTest()
        // What had come before the reset can still be read after it.
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
        #expect(origin.heads.count == 2)
    }

    @Test func `one that falls silent is given up and gone on with`() throws {
        let origin = origin(ending: { $0.waitForHangup() }) { Self.rest($0) }
        // As long as nobody but the silent one is, on a machine with much else to do.
        let daemon = try DaemonUnderTest(["--origin-idle-timeout", "4s"])
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
        #expect(origin.heads.count == 2)
    }

    @Test func `another version is taken whole, and nothing of the first is in it`() throws {
        let origin = origin { $0.picture(Self.other, fields: ["ETag: \"two\""]) }
        let daemon = try DaemonUnderTest()
        #expect(size(try daemon.get(origin.url(), "output=json")) == "150")
        #expect(origin.heads.count == 2)
        #expect(try daemon.metric("pictor_origin_resumptions_total", "result=\"restarted\"") == 1)
        let whole = ScriptedOrigin { $0.picture(Self.other) }
        #expect(
            try daemon.get(whole.url(), "w=30")["ETag"] == daemon.get(origin.url(), "w=30")["ETag"])
    }

    @Test(arguments: ["another version", "another part", "no such part"])
    func `a part that does not fit is asked for anew as a whole`(what: String) throws {
        let origin = origin { peer in
            guard peer.head.lowercased().contains("\r\nrange:") else { return peer.picture(Self.other) }
            switch what {
            case "another version": Self.rest(peer, tag: "\"two\"")
            case "another part":
                peer.answer(
                    "206 Partial Content",
                    fields: [
                        "ETag: \"one\"",
                        "Content-Range: bytes 0-\(Self.picture.count - 1)/\(Self.picture.count)",
                    ], body: Self.picture)
            default: peer.answer("416 No", fields: ["Content-Range: bytes */3"])
            }
        }
        let daemon = try DaemonUnderTest()
        #expect(size(try daemon.get(origin.url(), "output=json")) == "150")
        #expect(origin.heads.count == 3)
    }

    @Test(arguments: [
        [], ["ETag: W/\"one\""], ["ETag: \"one\"", "Accept-Ranges: none"],
        ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"],
    ])
    func `where its version is not certain the picture is not gone on with`(fields: [String]) throws {
        let origin = origin(fields) { Self.rest($0) }
        let daemon = try DaemonUnderTest()
        let reply = try daemon.get(origin.url(), "w=30")
        #expect(reply.status == 502)
        #expect(reply.text.contains("origin_broken_reply"))
        #expect(origin.heads.count == 1)
    }

    @Test func `one that breaks off again and again is asked for so often and no more`() throws {
        let origin = ScriptedOrigin { peer in
            let first = peer.head.firstMatch(of: /[Rr]ange: bytes=([0-9]+)-/).flatMap { Int($0.1) } ?? 0
            let last = Self.picture.count - 1
            peer.send(
                "HTTP/1.1 \(first == 0 ? "200 OK" : "206 Partial Content")\r\nETag: \"one\"\r\n"
                    + "Content-Type: image/png\r\nContent-Length: \(last + 1 - first)\r\n"
                    + (first == 0 ? "" : "Content-Range: bytes \(first)-\(last)/\(last + 1)\r\n") + "\r\n")
            peer.send(Self.picture[first..<first + 10])
            peer.close()
        }
        let daemon = try DaemonUnderTest(["--origin-resumptions", "3"])
        #expect(try daemon.get(origin.url(), "w=30").status == 502)
        #expect(origin.heads.count == 4)
        #expect(origin.heads.last?.lowercased().contains("range: bytes=30-") == true)
        // One body, of which neither the rest nor the whole came.
        let metric = "pictor_origin_resumptions_total"
        #expect(try daemon.metric(metric, "result=\"failed\"") == 1)
        #expect(try daemon.metric(metric, "result=\"resumed\"") == 0)
    }

    @Test func `an origin that has nothing more to say of it fails as it did`() throws {
        let origin = origin { $0.answer("404 Not Found") }
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(origin.url(), "w=30").text.contains("origin_broken_reply"))
        #expect(try daemon.metric("pictor_origin_resumptions_total", "result=\"failed\"") == 1)
    }

    @Test func `it can be switched off`() throws {
        let origin = origin { Self.rest($0) }
        let daemon = try DaemonUnderTest(["--origin-resumptions", "0"])
        #expect(try daemon.get(origin.url(), "w=30").status == 502)
        #expect(origin.heads.count == 1)
    }
}
