// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Orders are taken from whoever has the token, and from nobody else", .endToEnd)
struct AdminAuthorizationTests {
    private static let orders = [
        "/admin/purge", "/admin/verify", "/admin/gc", "/admin/reload", "/admin/warm", "/admin/drain",
    ]
    private static let looks = [
        "/admin/stats", "/admin/list", "/admin/verify", "/admin/explain?url=http://a/",
        "/admin/live", "/admin/history", "/admin/warm",
    ]
    private static let open = ["/health/live", "/health/ready", "/metrics"]

    @Test func `without the token only probes are answered`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        for path in Self.open { #expect(try daemon.admin(path).status == 200) }
        let wrong: [[(String, String)]] = [
            [], [("Authorization", "Bearer \(DaemonUnderTest.token)x")], [("Authorization", "Bearer")],
            [("Authorization", "Bearer \(DaemonUnderTest.token.dropLast())")],
            [("Authorization", "Basic \(DaemonUnderTest.token)")], [("Authorization", DaemonUnderTest.token)],
            DaemonUnderTest.trusted + DaemonUnderTest.trusted,
        ]
        for fields in wrong {
            for path in Self.orders + Self.looks {
                let method = Self.orders.contains(path) ? "POST" : "GET"
                let reply = try daemon.admin(path, method: method, fields: fields)
                #expect(reply.status == 401, "\(path) \(fields)")
                #expect(reply["WWW-Authenticate"] == "Bearer realm=\"pictor\"")
                #expect(reply["Access-Control-Allow-Origin"] == nil)
            }
        }
        #expect(try daemon.get("/nothing").status == 404, "no drain has begun")
    }

    @Test func `metrics name origins to whoever has the token, and to nobody else`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let name = "pictor_origin_failure_ratio{origin=\"http://127.0.0.1:"
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        let open = try DaemonUnderTest()
        for number in 0..<6 {
            for each in [daemon, open] {
                #expect(try each.get(origin.url("/\(number)"), "w=30").status == 200)
            }
        }
        #expect(try daemon.admin("/metrics", fields: DaemonUnderTest.trusted).text.contains(name))
        let stranger = try daemon.admin("/metrics").text
        #expect(stranger.contains("pictor_requests_total") && !stranger.contains("127.0.0.1"))
        #expect(try open.admin("/metrics").text.contains(name), "this machine may look where no token is set")
    }

    @Test func `with the token everything is answered, however the scheme is spelled`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        for scheme in ["Bearer", "bearer", "BEARER "] {
            let fields = [("Authorization", "\(scheme) \(DaemonUnderTest.token)")]
            for path in Self.looks {
                #expect(try daemon.admin(path, fields: fields).status == 200, "\(path)")
            }
        }
        #expect(try daemon.order("/admin/purge", "{\"all\":true}").status == 200)
        #expect(try daemon.order("/admin/verify").status == 202)
    }

    @Test func `where there is no token, looking is open and orders are refused`() throws {
        let daemon = try DaemonUnderTest()
        for path in Self.looks { #expect(try daemon.admin(path).status == 200, "\(path)") }
        for path in Self.orders {
            let reply = try daemon.order(path, "{\"all\":true}")
            #expect(reply.status == 403)
            #expect(reply.text.contains("no_token"))
        }
    }

    @Test func `an order that a browser sends for a page of another origin is refused, token or not`() throws
    {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        // As these tests say `Host`.
        let own = "http://localhost"
        let foreign: [[(String, String)]] = [
            [("Origin", "https://evil.test")], [("Origin", "null")], [("Origin", "http://127.0.0.1:1")],
            [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site"), ("Origin", own)],
            [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")],
            [("Origin", own), ("Origin", "null")],
        ]
        for fields in foreign {
            let reply = try daemon.admin(
                "/admin/purge", method: "POST", fields: DaemonUnderTest.trusted + fields,
                body: "{\"all\":true}")
            #expect(reply.status == 403, "\(fields)")
            #expect(reply.text.contains("page_refused"))
        }
        // A proxy may have changed the host; the browser's word holds.
        for fields in [
            [("Origin", own)], [("Sec-Fetch-Site", "same-origin"), ("Origin", "https://pictor.test")],
        ] {
            let reply = try daemon.admin(
                "/admin/purge", method: "POST", fields: DaemonUnderTest.trusted + fields,
                body: "{\"all\":true}")
            #expect(reply.status == 200, "\(fields)")
        }
    }

    @Test func `on a unix socket a page of another origin gives no orders either`() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/admin"
        let daemon = try DaemonUnderTest(["--admin-listen", "127.0.0.1:0,unix:\(path)"])
        let connection = try Connection(path: path)
        try connection.request(
            "/admin/purge", method: "POST", fields: [("Origin", "https://evil.test")], body: "{\"all\":true}")
        #expect(try connection.reply().status == 403)
        #expect(try daemon.get("/nothing").status == 404)
    }

    @Test func `on a unix socket the file's permissions are enough`() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/admin"
        let daemon = try DaemonUnderTest(["--admin-listen", "127.0.0.1:0,unix:\(path)"])
        let connection = try Connection(path: path)
        try connection.request("/admin/purge", method: "POST", body: "{\"all\":true}")
        #expect(try connection.reply().status == 200)
        #expect(try daemon.order("/admin/purge", "{\"all\":true}").status == 403)
    }

    @Test func `a path takes its method and says which`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        for (path, method, allowed) in [
            ("/admin/purge", "GET", "POST"), ("/admin/stats", "POST", "GET, HEAD"),
            ("/health/live", "DELETE", "GET, HEAD"), ("/admin/verify", "PUT", "POST, GET, HEAD"),
        ] {
            let reply = try daemon.order(path, method: method)
            #expect((reply.status, reply["Allow"]) == (405, allowed), "\(path)")
        }
        #expect(try daemon.order("/admin/nothing").status == 404)
    }

    @Test func `the token comes from a file, or from the service manager's credentials`() throws {
        let folder = TemporaryFolder()
        let file = "\(folder.path)/admin-token"
        try Data("\(DaemonUnderTest.token)\n".utf8).write(to: URL(filePath: file))
        for daemon in [
            try DaemonUnderTest(["--admin-token-file", file]),
            try DaemonUnderTest(environment: ["CREDENTIALS_DIRECTORY": folder.path]),
        ] {
            #expect(try daemon.admin("/admin/stats").status == 401)
            #expect(try daemon.order("/admin/stats", method: "GET").status == 200)
        }
    }

    @Test func `in a folder of the service manager is a socket for commands without a token`() throws {
        let folder = TemporaryFolder()
        let environment = ["RUNTIME_DIRECTORY": folder.path]
        let daemon = try DaemonUnderTest(environment: environment)
        let listen = ["--admin-listen", "127.0.0.1:\(daemon.adminPort)"]
        for order in [["reload"], ["cache", "verify"], ["cache", "purge", "--all"], ["top", "--once"]] {
            let refused = try PictorCommand(order + listen)
            #expect(refused.status == (order[0] == "top" ? 0 : 1), "\(order): \(refused.error)")
            let isAsked = refused.error.contains("needs a unix socket or a token")
            #expect(isAsked || order[0] == "top", "\(order): \(refused.error)")
            let taken = try PictorCommand(order + listen, environment: environment)
            #expect(taken.status == 0, "\(order): \(taken.error)")
        }
        daemon.stop()
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/admin.sock"))
    }

    @Test func `the token is nowhere to be read`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        _ = try daemon.order("/admin/stats", method: "GET")
        let printed = try PictorCommand(["check"], environment: DaemonUnderTest.trusting)
        #expect(printed.status == 0)
        #expect(printed.lines.contains("  # token: set"))
        #expect(try PictorCommand(["check"]).lines.contains("  # token: not set"))
        let flag = try PictorCommand(["check", "--admin-token", DaemonUnderTest.token])
        #expect(flag.status == 78)
        #expect(flag.error.contains("PICTOR_ADMIN_TOKEN"))
        let short = try PictorCommand(["check"], environment: ["PICTOR_ADMIN_TOKEN": "too-short"])
        #expect(short.status == 78)
        #expect(short.error.contains("at least 16"))
        daemon.stop()
        for text in daemon.log + [printed.output, flag.error, short.error] {
            #expect(!text.contains(DaemonUnderTest.token) && !text.contains("too-short"), "\(text)")
        }
    }

    @Test func `an order to drain ends the daemon as a signal would`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        let reply = try daemon.order("/admin/drain")
        #expect((reply.status, reply.text) == (202, "{\"state\":\"draining\"}\n"))
        #expect(daemon.exitStatus() == 0)
    }
}
