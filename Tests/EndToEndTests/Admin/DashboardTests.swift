// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("The dashboard", .endToEnd)
struct DashboardTests {
    @Test func `the admin listener has it, without a token, and its root leads there`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        for path in ["/", "/ui/"] {
            let root = try daemon.admin(path)
            #expect((root.status, root["Location"]) == (302, "/ui"), "\(path)")
        }
        let page = try daemon.admin("/ui")
        #expect(page.status == 200)
        #expect(page["Content-Type"] == "text/html; charset=utf-8")
        let policy = try #require(page["Content-Security-Policy"])
        for part in ["default-src 'none'", "require-trusted-types-for 'script'", "frame-ancestors 'none'"] {
            #expect(policy.contains(part))
        }
        #expect(!policy.contains("unsafe"))
        let tag = try #require(page["ETag"])
        #expect(try daemon.admin("/ui", fields: [("If-None-Match", tag)]).status == 304)
        #expect(try daemon.admin("/ui", method: "HEAD").body.isEmpty)
        #expect(try daemon.admin("/ui", method: "POST").status == 405)
        #expect(try daemon.admin("/ui/none").status == 404)
        #expect(try daemon.get("/ui").status == 404, "not on the public listener")
    }

    @Test func `every file that the page names is there`() throws {
        let daemon = try DaemonUnderTest()
        let page = try daemon.admin("/ui")
        let files = page.text.matches(of: /(?:src|href)="(\/ui\/[^"]+)"/).map { String($0.1) }
        #expect(files.count >= 4)
        var seen: Set<String> = []
        var left = files
        while let path = left.popLast() {
            guard seen.insert(path).inserted else { continue }
            let file = try daemon.admin(path)
            #expect(file.status == 200, "\(path)")
            guard path.hasSuffix(".js") else { continue }
            #expect(file["Content-Type"] == "text/javascript; charset=utf-8")
            left += file.text.matches(of: /from '\.\/([a-z]+\.js)'/).map { "/ui/\($0.1)" }
        }
        #expect(seen.count > 12)
    }

    @Test func `another name than the listener's own gets nothing, as with all that a browser might read`()
        throws
    {
        let daemon = try DaemonUnderTest()
        for path in ["/", "/ui", "/ui/main.js"] {
            let connection = try Connection(port: daemon.adminPort)
            try connection.send("GET \(path) HTTP/1.1\r\nHost: rebound.test\r\n\r\n")
            #expect(try connection.reply().status == 421, "\(path)")
        }
    }

    @Test func `the setting turns it off`() throws {
        let daemon = try DaemonUnderTest(["--admin-dashboard", "false"])
        for path in ["/", "/ui", "/ui/main.js"] { #expect(try daemon.admin(path).status == 404, "\(path)") }
        #expect(try daemon.admin("/admin/live").status == 200)
    }

    @Test func `an unknown path names the page and not its files`() throws {
        let text = try DaemonUnderTest().admin("/nothing").text
        #expect(text.contains("/ui"))
        #expect(!text.contains("/ui/"))
    }
}
