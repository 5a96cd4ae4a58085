// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("The daemon starts where it may and stops without breaking anything off", .endToEnd)
struct ShutdownTests {
    private static let picture = Pictures.gradient(60, 40)

    /// A daemon with a request under way, and the latch that lets the origin answer.
    private struct DaemonAndOrigin {
        let asked = Latch()
        let release = Latch()
        let origin: ScriptedOrigin
        let daemon: DaemonUnderTest
        let client: Connection

        init(_ flags: [String] = []) throws {
            origin = ScriptedOrigin { [asked, release] peer in
                asked.signal()
                release.wait()
                peer.picture(picture)
            }
            daemon = try DaemonUnderTest(
                ["--origin-first-byte-timeout", "2m", "--origin-timeout", "3m"] + flags)
            client = try Connection(port: daemon.port)
            try client.request(DaemonUnderTest.target(origin.url(), "w=30"))
            asked.wait()
        }

        var refusesConnections: Bool { (try? Connection(port: daemon.port)) == nil }
    }

    @Test func `after SIGTERM what is under way is finished, and nothing new begun`() throws {
        let pair = try DaemonAndOrigin(["--server-drain-timeout", "2m"])
        let idle = try Connection(port: pair.daemon.port)
        try idle.request("/nothing")
        #expect(try idle.reply().status == 404)

        pair.daemon.terminate()
        #expect(try idle.isClosed(), "an idle connection is closed")
        #expect(Patience.until { pair.refusesConnections })
        #expect(try pair.daemon.admin("/health/live").status == 200, "the drain can be watched")
        pair.release.signal()
        let reply = try pair.client.reply()
        #expect(reply.status == 200)
        #expect(reply["Connection"] == "close")
        #expect(try pair.client.isClosed())
        #expect(pair.daemon.exitStatus() == 0)
    }

    @Test func `what has not ended after the drain's time is cut off`() throws {
        let pair = try DaemonAndOrigin(["--server-drain-timeout", "1s"])
        #expect(pair.daemon.stop() == 0)
        #expect(try pair.client.isClosed())
        pair.release.signal()
    }

    @Test func `no decoder outlives its daemon, whether it is stopped or killed`() throws {
        for end in ["stop", "kill"] {
            let daemon = try DaemonUnderTest()
            let decoders = try #require(daemon.decoders(of: 3))
            #expect(decoders.count == 3)
            #expect(try Patience.until { try daemon.metric("pictor_decoders") == 3 })
            if end == "stop" { #expect(daemon.stop() == 0) } else { daemon.kill() }
            #expect(Patience.until { daemon.decoders.isEmpty }, "\(end)")
        }
    }

    @Test func `a second daemon on the same cache folder says so and ends`() throws {
        let first = try DaemonUnderTest()
        #expect {
            _ = try DaemonUnderTest(cache: first.cache)
        } throws: { error in
            guard let error = error as? DaemonUnderTest.DidNotStart else { return false }
            return error.status != 0 && error.log.contains("is in use by another process")
                && error.log.contains(first.cache.path)
        }
        #expect(try first.get("/nothing").status == 404, "the first goes on")
    }

    @Test(arguments: [
        (["--server-listen", "127.0.0.1"], "server.listen"), (["--cache-memory", "lots"], "cache.memory"),
        (["--no-such-setting", "1"], "--no-such-setting"),
        (["--cache-directory", "/proc/nowhere"], "/proc/nowhere"),
    ])
    func `a setting that cannot be used is named, and the daemon ends`(flags: [String], words: String) throws
    {
        #expect {
            _ = try DaemonUnderTest(flags)
        } throws: { error in
            guard let error = error as? DaemonUnderTest.DidNotStart else { return false }
            return error.status != 0 && error.log.contains(words)
        }
    }

    @Test func `an address that is taken is named, and the daemon ends`() throws {
        let first = try DaemonUnderTest()
        #expect {
            _ = try DaemonUnderTest(["--admin-listen", "127.0.0.1:\(first.adminPort)"])
        } throws: { error in
            guard let error = error as? DaemonUnderTest.DidNotStart else { return false }
            return error.status != 0 && error.log.contains("\(first.adminPort)")
        }
    }

    @Test func `it listens on Unix sockets, too, and takes them away when it goes`() throws {
        let origin = ScriptedOrigin { $0.picture(Self.picture) }
        let folder = TemporaryFolder()
        let (front, admin) = ("\(folder.path)/front", "\(folder.path)/admin")
        let daemon = try DaemonUnderTest([
            "--server-listen", "127.0.0.1:0,unix:\(front)", "--admin-listen", "127.0.0.1:0,unix:\(admin)",
        ])
        let connection = try Connection(path: front)
        try connection.request(DaemonUnderTest.target(origin.url(), "w=30"))
        #expect(try connection.reply().body == (try daemon.get(origin.url(), "w=30").body))
        let health = try Connection(path: admin)
        try health.request("/health/ready")
        #expect(try health.reply().status == 200)
        #expect(daemon.stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: front))

        // A socket that a killed daemon left behind is no obstacle.
        let killed = try DaemonUnderTest(["--server-listen", "127.0.0.1:0,unix:\(front)"])
        killed.kill()
        let next = try DaemonUnderTest(["--server-listen", "127.0.0.1:0,unix:\(front)"])
        let again = try Connection(path: front)
        try again.request("/nothing")
        #expect(try again.reply().status == 404)
        next.stop()
    }
}
