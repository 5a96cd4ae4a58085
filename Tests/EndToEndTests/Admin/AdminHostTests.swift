// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("The admin listener answers to its own names, and not to one that a page led here", .endToEnd)
struct AdminHostTests {
    private static let looks = [
        "/admin/stats", "/admin/list", "/admin/explain?url=http://a/", "/admin/gc", "/metrics",
    ]

    private func ask(
        _ daemon: DaemonUnderTest, _ target: String, host: String, fields: [(String, String)] = []
    ) throws -> Connection.Reply {
        let connection = try Connection(port: daemon.adminPort)
        let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        try connection.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\(lines)\r\n")
        return try connection.reply()
    }

    @Test func `a stranger's name is refused, whatever it looks like`() throws {
        let daemon = try DaemonUnderTest()
        let port = daemon.adminPort
        for host in [
            "evil.example", "evil.example:\(port)", "127.0.0.1.evil.example",
            "localhost.evil.example:\(port)",
            "notlocalhost", "127.1", "[::1].evil.example", "LOCALHOST.EVIL.EXAMPLE",
        ] {
            for path in Self.looks {
                let reply = try ask(daemon, path, host: host)
                // What is no authority at all (RFC 3986 §3.2) is a 400 before.
                #expect([400, 421].contains(reply.status), "\(path) for \(host): \(reply.status)")
                #expect(!reply.text.contains("originals"))
            }
        }
        let reply = try ask(daemon, "/admin/list", host: "evil.example")
        #expect((reply.status, reply["Cache-Control"]) == (421, "no-store"))
        #expect(reply.text.contains("\"error\":\"host_refused\"") && reply.text.contains("admin.hosts"))
        #expect(try ask(daemon, "http://evil.example/admin/list", host: "127.0.0.1").status == 421)
    }

    @Test func `addresses, localhost and the names in the settings are its own`() throws {
        let daemon = try DaemonUnderTest(["--admin-hosts", "pictor,*.svc.cluster.local"])
        let port = daemon.adminPort
        for host in [
            "127.0.0.1", "127.0.0.1:\(port)", "10.1.2.3:8081", "[::1]:\(port)", "[fd00::7]", "localhost",
            "LocalHost:\(port)", "localhost.", "a.localhost", "pictor:8081", "Pictor",
            "pictor.svc.cluster.local:80",
        ] {
            for path in Self.looks {
                #expect(try ask(daemon, path, host: host).status == 200, "\(path) for \(host)")
            }
        }
        #expect(try ask(daemon, "/metrics", host: "svc.cluster.local").status == 421)
    }

    @Test func `health checks have any name, and so have those who carry the token`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        for path in ["/health/live", "/health/ready"] {
            #expect(try ask(daemon, path, host: "balancer.example").status == 200)
        }
        #expect(try ask(daemon, "/admin/stats", host: "balancer.example").status == 421)
        let reply = try ask(
            daemon, "/admin/stats", host: "balancer.example", fields: DaemonUnderTest.trusted)
        #expect(reply.status == 200)
    }

    @Test func `over a unix socket no page asks`() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/admin"
        let daemon = try DaemonUnderTest(["--admin-listen", "127.0.0.1:0,unix:\(path)"])
        let connection = try Connection(path: path)
        try connection.send("GET /admin/stats HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        #expect(try connection.reply().status == 200)
        daemon.stop()
    }
}
