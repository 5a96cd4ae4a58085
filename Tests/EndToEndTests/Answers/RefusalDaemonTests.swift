// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("A refusal says what was wrong, in JSON, and tells nothing of the inside", .endToEnd)
struct RefusalDaemonTests {
    private func refusal(_ reply: Connection.Reply) throws -> Refusal {
        let refusal = try JSONDecoder().decode(Refusal.self, from: Data(reply.body))
        #expect(refusal.status == "error")
        #expect(refusal.code == reply.status)
        #expect(reply["Content-Type"] == "application/json")
        #expect(reply["X-Content-Type-Options"] == "nosniff")
        #expect(reply["Cache-Control"] != nil)
        return refusal
    }

    @Test func `a request that cannot be understood names what is wrong with it`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(6, 4)) }
        let daemon = try DaemonUnderTest()
        let good = DaemonUnderTest.target(origin.url())
        let table: [(target: String, error: String, names: String)] = [
            (good + "&wdith=100", "bad_parameter", "wdith"),
            (good + "&w=abc", "bad_parameter", "\"w\""),
            (good + "&w=0", "bad_parameter", "\"w\""),
            (good + "&w=99999", "bad_parameter", "\"w\""),
            (good + "&fit=stretch", "bad_parameter", "\"fit\""),
            (good + "&q=101", "bad_parameter", "\"q\""),
            (good + "&output=bmp", "bad_parameter", "\"output\""),
            (good + "&w=10&width=10", "bad_parameter", "\"width\""),
            (good + "&w=%zz", "bad_parameter", "\"w\""),
            ("/img", "bad_parameter", "\"url\""),
            ("/img?w=10", "bad_parameter", "\"url\""),
            (DaemonUnderTest.target("ftp://host/a"), "bad_url", "http"),
            (DaemonUnderTest.target("file:///etc/passwd"), "bad_url", "file://"),
            (DaemonUnderTest.target("http://user:secret@host/a"), "bad_url", "user name"),
            (DaemonUnderTest.target("http://host:99999/a"), "bad_url", "port"),
        ]
        for row in table {
            let reply = try daemon.get(row.target)
            let refusal = try refusal(reply)
            #expect(reply.status == 400, "\(row.target)")
            #expect(refusal.error == row.error, "\(row.target)")
            #expect(refusal.message.contains(row.names), "\(row.target): \(refusal.message)")
            #expect(reply["Cache-Control"] == "no-store")
        }
        #expect(origin.heads.isEmpty)
    }

    @Test func `other methods are a 405 that names those that are allowed`() throws {
        let daemon = try DaemonUnderTest()
        for method in ["POST", "PUT", "DELETE", "PATCH"] {
            let reply = try daemon.get("/img?url=host/a", method: method)
            #expect(reply.status == 405, "\(method)")
            #expect(reply["Allow"] == "GET, HEAD, OPTIONS")
            #expect(try refusal(reply).error == "method_not_allowed")
        }
    }

    @Test(arguments: ["/", "/image", "/img/", "/metrics", "/health/ready", "/favicon.ico"])
    func `other paths are a 404, the admin listener's among them`(path: String) throws {
        let daemon = try DaemonUnderTest(["--playground-enabled", "false"])
        let reply = try daemon.get(path)
        #expect(reply.status == 404)
        #expect(try refusal(reply).error == "not_found")
    }

    @Test func `bytes that are no HTTP are a 400 and a close`() throws {
        let daemon = try DaemonUnderTest()
        for text in [
            "hello\r\n\r\n", "GET /img\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nBad Field: 1\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
        ] {
            let connection = try Connection(port: daemon.port)
            try connection.send(text)
            let reply = try connection.reply()
            #expect(reply.status == 400, "\(text)")
            #expect(try refusal(reply).error == "bad_request")
            #expect(reply["Connection"] == "close")
            #expect(try connection.isClosed())
        }
    }

    @Test func `limits on the request's head have their own words`() throws {
        let daemon = try DaemonUnderTest(["--server-maximum-fields", "10"])
        let long = try daemon.get("/img?url=host/" + String(repeating: "a", count: 9000))
        #expect(long.status == 414)
        #expect(try refusal(long).error == "target_too_long")
        let many = try daemon.get("/img", fields: (1...20).map { ("X-\($0)", "1") })
        #expect(many.status == 431)
        #expect(try refusal(many).error == "too_many_fields")
    }

    @Test func `what is not served of HTTP has its own words, and ends the connection`() throws {
        let daemon = try DaemonUnderTest(["--server-head-timeout", "1s"])
        let host = "HTTP/1.1\r\nHost: a\r\n"
        let table: [(text: String, status: Int, error: String)] = [
            ("GET / \(host)Expect: 200-ok\r\n\r\n", 417, "expectation_failed"),
            ("GET / \(host)X: \(String(repeating: "x", count: 20_000))\r\n\r\n", 431, "head_too_large"),
            ("CONNECT a:443 \(host)\r\n", 501, "method_not_implemented"),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZ / \(host)\r\n", 501, "method_not_implemented"),
            ("POST / \(host)Transfer-Encoding: gzip, chunked\r\n\r\n", 501, "transfer_coding"),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505, "version_not_supported"),
            ("GET / \(host)", 408, "request_timeout"),
        ]
        for row in table {
            // The time for a head begins with the connection, however long we take to send it.
            let connection = try daemon.whileStopped {
                let connection = try Connection(port: daemon.port)
                try connection.send(row.text)
                return connection
            }
            let reply = try connection.reply()
            #expect(reply.status == row.status, "\(row.error)")
            #expect(try refusal(reply).error == row.error)
            #expect(reply["Connection"] == "close", "\(row.error)")
            #expect(try connection.isClosed(), "\(row.error)")
        }
    }

    @Test func `limits on pictures have their own words, and name the setting`() throws {
        let origin = ScriptedOrigin { peer in
            let isAnimation = peer.target == "/animation"
            peer.picture(isAnimation ? Pictures.animation(12, 8, frames: 3) : Pictures.noise(1250, 1250))
        }
        let flags = ["--decoder-maximum-frames", "2", "--decoder-maximum-output", "4MiB"]
        let daemon = try DaemonUnderTest(flags)
        let many = try daemon.get(origin.url("/animation"), "n=-1&output=gif")
        #expect(many.status == 413)
        #expect(try refusal(many).error == "too_many_frames")
        #expect(try refusal(many).message.contains("decoder.maximum-frames"))
        #expect(try daemon.get(origin.url("/animation"), "n=2&output=gif").status == 200)
        let large = try daemon.get(origin.url("/noise"), "output=png")
        #expect(large.status == 413)
        #expect(try refusal(large).error == "output_too_large")
        #expect(try refusal(large).message.contains("decoder.maximum-output"))
        #expect(try daemon.get(origin.url("/noise"), "w=10&output=png").status == 200)
    }

    @Test(arguments: [
        "http://127.0.0.1", "http://localhost", "http://10.0.0.1", "http://192.168.1.1",
        "http://169.254.169.254",
        "http://[::1]", "http://[::ffff:127.0.0.1]", "http://0.0.0.0", "http://2130706433",
    ])
    func `by default no private address is fetched from, however it is spelt`(host: String) throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(6, 4)) }
        let daemon = try DaemonUnderTest(["--origin-allow-private", "false"])
        let reply = try daemon.get(DaemonUnderTest.target("\(host):\(origin.port)/secret-path"))
        #expect(reply.status == 400)
        #expect(["source_refused", "bad_url"].contains(try refusal(reply).error))
        #expect(origin.accepted == 0)
    }

    @Test func `no refusal shows an inner address, a path of this machine or the source`() throws {
        let origin = ScriptedOrigin { $0.answer("500 Oops", body: "inner secrets".utf8) }
        let broken = ScriptedOrigin { $0.reset() }
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.withoutNames)
        let replies = try [
            daemon.get(origin.url("/secret-path")),
            daemon.get(broken.url("/secret-path")),
            daemon.get(DaemonUnderTest.target("http://nowhere.invalid/secret-path")),
        ]
        for reply in replies {
            #expect(reply.status == 502)
            for secret in ["127.0.0.1", "secret", daemon.cache.path, "/"] {
                #expect(!reply.text.contains(secret), "\(reply.text)")
            }
            #expect(!reply.fields.contains { $0.value.contains("127.0.0.1") })
        }
    }

    @Test func `a failure is remembered for as long as it says`() throws {
        let origin = ScriptedOrigin { $0.answer("404 Not Found") }
        let daemon = try DaemonUnderTest()
        for _ in 1...3 {
            let reply = try daemon.get(origin.url())
            #expect(reply.status == 404)
            let granted = try #require(reply["Cache-Control"]?.firstMatch(of: /^public, max-age=([0-9]+)$/))
            // Less where the machine took its time.
            #expect((30...60).contains(Int(granted.1) ?? 0), "\(granted.0)")
        }
        #expect(origin.heads.count == 1)
        // An exchange is counted when the client already has its answer.
        #expect(
            try Patience.until { try daemon.metric("pictor_requests_total", "outcome=\"negative\"") == 2 })
    }
}
