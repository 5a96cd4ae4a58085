// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("A reload changes how clients are served", .endToEnd)
struct ReloadedListenerTests: Reloading {
    let folder = TemporaryFolder()

    @Test func `idle connections and slow heads are given up by the new times`() throws {
        try write("server:", "  idle-timeout: 1h", "  head-timeout: 1h")
        let daemon = try daemon()
        let (idle, slow) = (try Connection(port: daemon.port), try Connection(port: daemon.port))
        for connection in [idle, slow] {
            try connection.request("/nothing")
            #expect(try connection.reply().status == 404)
        }
        try write("server:", "  idle-timeout: 200ms", "  head-timeout: 200ms")
        #expect(try reload(daemon).changed == ["server.idle-timeout", "server.head-timeout"])
        try slow.send("GET /nothing HTTP/1.1\r\nHost:")
        #expect(try slow.reply().status == 408)
        // It keeps the deadline that it has, and gets its next one by the new time.
        try idle.request("/nothing")
        #expect(try idle.reply().status == 404)
        #expect(try idle.isClosed())
    }

    @Test func `longer requests are refused, and allowed again`() throws {
        try write("log:", "  level: info")
        let daemon = try daemon()
        let long = "/" + String(repeating: "a", count: 400)
        func fields() throws -> Int {
            try daemon.get("/nothing", fields: (1...12).map { ("X-\($0)", "1") }).status
        }
        #expect(try daemon.get(long).status == 404 && fields() == 404)
        try write("server:", "  maximum-target: 256B", "  maximum-fields: 10")
        #expect(try reload(daemon).changed == ["server.maximum-target", "server.maximum-fields"])
        #expect(try daemon.get(long).status == 414 && fields() == 431)
        try write("server:", "  maximum-head: 1KiB")
        #expect(
            try reload(daemon).changed == [
                "server.maximum-head", "server.maximum-target", "server.maximum-fields",
            ])
        let wide = [("X-Wide", String(repeating: "a", count: 1200))]
        #expect(try daemon.get(long).status == 404 && fields() == 404)
        #expect(try daemon.get("/nothing", fields: wide).status == 431)
        try write("server:", "  maximum-head: 64KiB")
        _ = try reload(daemon)
        let wider = [("X-Wide", String(repeating: "a", count: 50_000))]
        #expect(try daemon.get("/nothing", fields: wider).status == 404)
    }

    @Test func `a proxy's word about its clients counts from the reload on`() throws {
        try write("log:", "  level: info")
        let daemon = try daemon()
        let fields = [("X-Forwarded-For", "192.0.2.7")]
        #expect(try daemon.get("/one", fields: fields).status == 404)
        try write("server:", "  trusted-proxies: [\"127.0.0.0/8\"]", "  client-field: x-forwarded-for")
        #expect(try reload(daemon).changed == ["server.trusted-proxies", "server.client-field"])
        #expect(try daemon.get("/two", fields: fields).status == 404)
        let lines = try #require(daemon.accessLog(of: 2))
        #expect(lines.contains { $0.contains("/one") && $0.contains("127.0.0.1") })
        #expect(lines.contains { $0.contains("/two") && $0.contains("192.0.2.7") })
    }

    @Test func `more renditions of a picture are made, and the end comes sooner`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        try write("limits:", "  renditions-per-original: 1", "server:", "  drain-delay: 1h")
        let daemon = try daemon()
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
        #expect(try daemon.get(origin.url(), "w=31").status == 429)
        try write("server:", "  drain-delay: 0s")
        #expect(try reload(daemon).changed == ["server.drain-delay", "limits.renditions-per-original"])
        #expect(try daemon.get(origin.url(), "w=31").status == 200)
        #expect(daemon.stop() == 0)
    }
}
