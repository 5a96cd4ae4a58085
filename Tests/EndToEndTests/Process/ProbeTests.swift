// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Probes are answered where the settings say, and tell the truth before a drain", .endToEnd)
struct ProbeTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    @Test func `the public listener answers probes by setting alone`() throws {
        let without = try DaemonUnderTest()
        for path in ["/health/live", "/health/ready"] { #expect(try without.get(path).status == 404) }
        let daemon = try DaemonUnderTest(["--server-probes", "true"])
        #expect(try daemon.get("/health/live").text == "alive\n")
        let ready = try daemon.get("/health/ready")
        #expect(ready.status == 200 && ready.text == "ready\n" && ready["Cache-Control"] == "no-store")
        #expect(try daemon.get("/health/ready", method: "HEAD").status == 200)
        for path in ["/metrics", "/admin/stats", "/admin/live", "/health", "/health/ready/"] {
            #expect(try daemon.get(path).status == 404, "\(path)")
        }
    }

    @Test func `a probe's path takes no other method, at either listener`() throws {
        let daemon = try DaemonUnderTest(["--server-probes", "true"])
        for path in ["/health/live", "/health/ready"] {
            for reply in try [daemon.get(path, method: "POST"), daemon.admin(path, method: "POST")] {
                #expect(reply.status == 405 && reply["Allow"] == "GET, HEAD", "\(path)")
            }
            #expect(try daemon.get(path, method: "OPTIONS").status == 405)
        }
    }

    @Test func `good probes are no lines of the access log`() throws {
        let daemon = try DaemonUnderTest(["--server-probes", "true"])
        for path in ["/health/live", "/health/ready", "/health/live"] {
            #expect(try daemon.get(path).status == 200)
        }
        #expect(try daemon.get("/health/none").status == 404)
        #expect(try daemon.get(origin.url("/a"), "w=30").status == 200)
        let lines = try #require(daemon.accessLog(of: 2))
        #expect(lines.count == 2 && lines.allSatisfy { !$0.contains("live") }, "\(lines)")
        #expect(lines.contains { $0.contains("none") }, "\(lines)")
    }

    @Test func `pictor health asks a daemon that runs, whatever has become of the files of its settings`()
        throws
    {
        let file = "\(TemporaryFolder().path).png"
        try Data(Pictures.flat(8, 4, [0, 0, 255])).write(to: URL(filePath: file))
        let daemon = try DaemonUnderTest(["--fallback-picture", file])
        #expect(try daemon.command(["health", "--fallback-picture", file]).status == 0)
        try FileManager.default.removeItem(atPath: file)
        let health = try daemon.command(["health", "--fallback-picture", file])
        #expect(health.status == 0 && health.output == "ready\n", "\(health.error)")
    }

    @Test func `and asks the public listener where it answers probes and there is no other`() throws {
        let daemon = try DaemonUnderTest(["--server-probes", "true"])
        let flags = ["--admin-listen", "", "--server-listen", "127.0.0.1:\(daemon.port)"]
        let health = try PictorCommand(["health"] + flags + ["--server-probes", "true"])
        #expect(health.status == 0 && health.output == "ready\n", "\(health.error)")
        #expect(try PictorCommand(["health"] + flags).status == 64)
    }

    /// A reload refuses such a file, and the daemon goes on; so must who looks whether it does.
    @Test(arguments: ["cache:\n  memory: lots\n", "cache: [", nil] as [String?])
    func `and whatever mistakes are in their file`(text: String?) throws {
        let daemon = try DaemonUnderTest()
        let file = "\(daemon.cache.path).yaml"
        try text?.write(toFile: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let health = try daemon.command(["health", "--config", file])
        #expect(health.status == 0 && health.output == "ready\n", "\(health.error)")
        #expect(health.error.contains("Warning: \(file):"))
        let reason = "Warning: \(file): No such file or directory\n"
        #expect(health.error.contains(reason) == (text == nil))
    }

    @Test func `before a drain requests are taken, and readiness says that it leaves`() throws {
        let daemon = try DaemonUnderTest(["--server-probes", "true", "--server-drain-delay", "1h"])
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
        daemon.terminate()
        #expect(try Patience.until { try daemon.get("/health/ready").status == 503 })
        #expect(daemon.logLine(with: "\"draining\"") != nil, "the log says so as soon as it begins")
        #expect(try daemon.get("/health/ready").text.contains("drain"))
        #expect(try daemon.admin("/health/ready").status == 503)
        #expect(try daemon.get("/health/live").status == 200)
        #expect(try daemon.get(origin.url(), "w=31").status == 200, "a new connection and a new picture")
        daemon.kill()
    }

    @Test func `when the delay is over the daemon drains and ends`() throws {
        let daemon = try DaemonUnderTest(["--server-drain-delay", "500ms"])
        daemon.terminate()
        #expect(daemon.exitStatus() == 0)
    }
}
