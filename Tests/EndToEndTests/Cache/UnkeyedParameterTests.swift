// SPDX-License-Identifier: Apache-2.0

import Foundation
import RequestGrammar
import SourceURLs
import Synchronization
import TestSupport
import Testing

@Suite("Parameters that open an original are sent to its origin, and are no part of its name", .endToEnd)
struct UnkeyedParameterTests {
    private let folder = TemporaryFolder()

    /// Gives its picture for `sig=good…` alone, and has it asked about at each request for `/stale`.
    private func origin(_ beforeRefusal: @escaping @Sendable () -> Void = {}) -> ScriptedOrigin {
        ScriptedOrigin { peer in
            guard peer.target.contains("sig=good") else {
                beforeRefusal()
                return peer.answer("403 Forbidden", fields: ["Cache-Control: public, max-age=60"])
            }
            let maxAge = peer.target.hasPrefix("/stale") ? 0 : 3600
            if peer.has("If-None-Match: \"a\"") {
                peer.answer("304 Not Modified", fields: ["ETag: \"a\"", "Cache-Control: max-age=\(maxAge)"])
            } else {
                peer.picture(Pictures.gradient(60, 40), maxAge: maxAge, fields: ["ETag: \"a\""])
            }
        }
    }

    private func daemon(
        _ origin: ScriptedOrigin, _ flags: [String] = [], environment: [String: String] = [:]
    ) throws -> DaemonUnderTest {
        let file = folder.path + "/origins.yaml"
        let lines = [
            "shop:", "  match: '\(origin.url("/").absolute)'", "  unkeyed: [sig, X-Amz-*]", "  drop: [utm_*]",
        ]
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        return try DaemonUnderTest(["--origin-profiles", file] + flags, environment: environment)
    }

    @Test func `one original for all signatures, which its origin gets where they stood`() throws {
        let origin = origin()
        let daemon = try daemon(origin)
        let first = origin.url("/a?b=1&sig=good1&utm_x=1&X-Amz-Date=7&c=2")
        #expect(try daemon.get(first, "w=30").status == 200)
        for path in ["/a?b=1&c=2&sig=good2", "/a?X-Amz-Date=8&b=1&c=2", "/a?b=1&c=2&sig=bad"] {
            #expect(try daemon.get(origin.url(path), "w=40").status == 200, "\(path)")
        }
        #expect(origin.heads.count == 1)
        let head = try #require(origin.heads.first)
        #expect(head.hasPrefix("GET /a?b=1&sig=good1&X-Amz-Date=7&c=2 HTTP/1.1\r\n"), "\(head)")
        let reply = try daemon.get(first, "w=30")
        #expect(reply["Link"]?.contains("/a?b=1&c=2>") == true, "\(reply["Link"] ?? "")")
        let query = DaemonUnderTest.target(first, "w=30").drop { $0 != "?" }
        let explained = try daemon.admin("/admin/explain\(query)").text
        #expect(explained.contains("a?b=1&c=2\"") && !explained.contains("good1"), "\(explained)")
        daemon.stop()
        for line in daemon.log { #expect(!line.contains("good1"), "\(line)") }
    }

    @Test func `a signature that is refused costs nobody else the picture`() throws {
        let origin = origin()
        let daemon = try daemon(origin)
        for path in ["/stale?sig=bad", "/stale", "/stale?sig=bad"] {
            let reply = try daemon.get(origin.url(path), "w=30")
            #expect(reply.status == 502 && reply["Cache-Control"] == "no-store", "\(path)")
        }
        #expect(origin.heads.count == 3)
        #expect(try daemon.get(origin.url("/stale?sig=good1"), "w=30").status == 200)
        // It is stale: each request's own signature confirms it, or does not.
        #expect(try daemon.get(origin.url("/stale?sig=bad"), "w=30").status == 502)
        #expect(try daemon.get(origin.url("/stale?sig=good2"), "w=30").status == 200)
        let head = try #require(origin.heads.last)
        #expect(head.hasPrefix("GET /stale?sig=good2 ") && head.contains("If-None-Match: \"a\""), "\(head)")
        #expect(try daemon.metric("pictor_renders_total") == 1)
    }

    @Test func `a picture in place of a refusal costs nobody else the one that is held`() throws {
        let origin = ScriptedOrigin { peer in
            if !peer.target.contains("sig=good") {
                peer.answer(
                    fields: ["Content-Type: image/png", "Cache-Control: no-store"],
                    body: Pictures.flat(4, 4, [255, 0, 0]))
            } else if peer.has("If-None-Match: \"a\"") {
                peer.answer("304 Not Modified", fields: ["ETag: \"a\"", "Cache-Control: max-age=0"])
            } else {
                peer.picture(Pictures.gradient(60, 40), maxAge: 0, fields: ["ETag: \"a\""])
            }
        }
        let daemon = try daemon(origin)
        for signature in ["good1", "bad", "good2"] {
            #expect(try daemon.get(origin.url("/a?sig=\(signature)"), "w=30").status == 200, "\(signature)")
        }
        let head = try #require(origin.heads.last)
        #expect(head.hasPrefix("GET /a?sig=good2 ") && head.contains("If-None-Match: \"a\""), "\(head)")
    }

    @Test(arguments: ["", "http://denied.example/", "http://127.0.0.1:1/"])
    func `a signature that leads astray costs nobody else the picture`(place: String) throws {
        let origin = ScriptedOrigin { peer in
            if peer.target.contains("sig=good") {
                peer.picture(Pictures.gradient(60, 40), maxAge: 3600)
            } else {
                peer.answer("302 Found", fields: ["Location: \(place.isEmpty ? peer.target : place)"])
            }
        }
        let daemon = try daemon(origin, ["--origin-deny-hosts", "denied.example"])
        for _ in 1...2 { #expect(try daemon.get(origin.url("/a?sig=bad"), "w=30").status >= 400) }
        #expect(origin.heads.count == 2)
        #expect(try daemon.get(origin.url("/a?sig=good"), "w=30").status == 200)
    }

    @Test func `a watermark is one for all signatures`() throws {
        let origin = origin()
        let daemon = try daemon(origin, environment: DaemonUnderTest.trusting)
        func options(_ signature: String) -> String {
            "w=30&wm=" + origin.url("/mark?b=1&X-Amz-Date=7&sig=\(signature)").escapedForQuery
        }
        let source = origin.url("/a?sig=good")
        for signature in ["good1", "good2", "bad"] {
            #expect(try daemon.get(source, options(signature)).status == 200, "\(signature)")
        }
        #expect(origin.heads.count == 2)
        #expect(origin.heads.last?.hasPrefix("GET /mark?b=1&X-Amz-Date=7&sig=good1 ") == true)
        #expect(try daemon.metric("pictor_renders_total") == 1)
        let url = origin.url("/mark?sig=old&b=1").absolute
        let purge = try daemon.order("/admin/purge", "{\"url\":\"\(url)\"}")
        #expect(purge.text.contains("\"originals\":1,"), "\(purge.text)")
        let query = DaemonUnderTest.target(source, options("good3")).drop { $0 != "?" }
        let explained = try daemon.order("/admin/explain\(query)", method: "GET").text
        #expect(explained.contains("mark") && !explained.contains("X-Amz"), "\(explained)")
        #expect(!explained.contains("good3"), "\(explained)")
        // A signature that is refused is told to its own client, and removes nothing.
        #expect(try daemon.get(source, options("bad")).status == 502)
        #expect(try daemon.get(source, options("good4")).status == 200)
    }

    @Test func `a redirect that is signed anew each time leads to one picture`() throws {
        let signatures = Mutex(0)
        let origin = ScriptedOrigin { peer in
            if peer.target == "/moved" {
                let number = signatures.withLock { count in
                    count += 1
                    return count
                }
                return peer.redirect(to: "/kept?b=1&sig=good\(number)")
            }
            if peer.has("If-None-Match: \"a\"") {
                peer.answer("304 Not Modified", fields: ["ETag: \"a\"", "Cache-Control: max-age=0"])
            } else {
                peer.picture(Pictures.gradient(60, 40), maxAge: 0, fields: ["ETag: \"a\""])
            }
        }
        let daemon = try daemon(origin)
        for _ in 1...2 { #expect(try daemon.get(origin.url("/moved"), "w=30").status == 200) }
        let asked = origin.heads.filter { $0.hasPrefix("GET /kept?b=1&sig=good") }
        #expect(asked.map { $0.contains("If-None-Match: \"a\"") } == [false, true], "\(asked)")
        #expect(asked.last?.hasPrefix("GET /kept?b=1&sig=good2 ") == true, "\(asked)")
        #expect(try daemon.metric("pictor_renders_total") == 1)
    }

    @Test func `the access log has the client's URL without the values`() throws {
        let origin = origin()
        let daemon = try daemon(origin)
        let reply = try daemon.get(origin.url("/a?b=kept&X-Amz-Expires=opener"), "w=30")
        #expect(reply.status == 502)
        let line = try #require(daemon.accessLog(of: 1)?.first)
        #expect(line.contains("kept") && line.contains("REDACTED") && !line.contains("opener"), "\(line)")
    }

    @Test func `the log has a redirect's target without its signature`() throws {
        let origin = ScriptedOrigin { peer in
            if peer.target == "/moved" {
                peer.redirect(to: "/gone?b=1&X-Amz-Expires=opener")
            } else {
                peer.answer("404 Not Found")
            }
        }
        let daemon = try daemon(origin)
        #expect(try daemon.get(origin.url("/moved"), "w=30").status == 404)
        #expect(origin.heads.last?.contains("/gone?b=1&X-Amz-Expires=opener ") == true)
        let line = try #require(daemon.logLine(with: "no picture was fetched", "/moved"))
        #expect(line.contains("/gone?b=1") && !line.contains("opener"), "\(line)")
    }

    @Test func `nobody waits for the answer to another's signature`() throws {
        let (asked, release) = (Latch(), Latch())
        let origin = origin {
            asked.signal()
            release.wait()
        }
        let daemon = try daemon(origin, ["--origin-first-byte-timeout", "2m", "--origin-timeout", "3m"])
        let slow = try Connection(port: daemon.port)
        try slow.request(DaemonUnderTest.target(origin.url("/a?sig=bad"), "w=30"))
        asked.wait()
        #expect(try daemon.get(origin.url("/a?sig=good"), "w=30").status == 200)
        release.signal()
        #expect(try slow.reply().status == 502)
        #expect(try daemon.get(origin.url("/a?sig=other"), "w=40").status == 200)
        #expect(origin.heads.count == 2)
    }

    @Test(arguments: [";", "?"])
    func `a parameter in which an origin may see another one is a part of the name`(mark: String) throws {
        let origin = origin()
        let daemon = try daemon(origin)
        for path in ["/a?b=1&sig=good1\(mark)b=2", "/a?b=1&sig=good1"] {
            #expect(try daemon.get(origin.url(path), "w=30").status == 200, "\(path)")
        }
        #expect(origin.heads.count == 2)
    }

    @Test func `a purge by any of the URLs reaches it`() throws {
        let origin = origin()
        let daemon = try daemon(origin, environment: DaemonUnderTest.trusting)
        #expect(try daemon.get(origin.url("/a?sig=good1"), "w=30").status == 200)
        let purge = try daemon.order("/admin/purge", "{\"url\":\"\(origin.url("/a?sig=old").absolute)\"}")
        #expect(purge.text.contains("\"originals\":1,"), "\(purge.text)")
        #expect(try daemon.get(origin.url("/a?sig=bad"), "w=30").status == 502)
    }

    @Test(arguments: ["*", "a*b", "a=b", "a&b"])
    func `what is no name of a parameter is a mistake`(name: String) throws {
        let file = folder.path + "/origins.yaml"
        try "a:\n  match: a.example\n  unkeyed: ['\(name)']\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        let check = try PictorCommand(["check", "--origin-profiles", file])
        #expect(check.status == 78 && check.error.contains(":3: a unkeyed must be names"), "\(check.error)")
    }

    @Test func `a client that is sent to the source gets all of its URL`() throws {
        let origin = origin()
        let daemon = try daemon(origin, ["--options-default-hosts", "*"])
        let source = origin.url("/a?sig=bad&b=1")
        let reply = try daemon.get(source, "w=30&default=1")
        #expect(reply.status == 302 && reply["Location"] == source.absolute, "\(reply["Location"] ?? "")")
    }
}
