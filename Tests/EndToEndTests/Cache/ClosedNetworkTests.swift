// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("A restart that closes networks answers nothing more of what came from there", .endToEnd)
struct ClosedNetworkTests: Reloading {
    let folder = TemporaryFolder()
    private static let closed = ["--origin-deny-networks", "127.0.0.0/8"]
    private let cache = TemporaryFolder()
    private let origin = ScriptedOrigin { peer in
        peer.picture(Pictures.gradient(60, 40), maxAge: 3600, fields: ["ETag: \"one\""])
    }

    /// By a name: nothing but the address that it leads to tells that it is inside.
    private var target: String {
        DaemonUnderTest.target("http://localhost:\(origin.port)/picture", "w=30")
    }

    /// The status of the picture from a daemon that lives for this one request.
    private func status(_ flags: [String] = []) throws -> Int {
        let daemon = try DaemonUnderTest(flags, cache: cache)
        let status = try daemon.get(target).status
        #expect(daemon.stop() == 0)
        return status
    }

    @Test func `and all is there again, once confirmed, where another restart opens them`() throws {
        for _ in 1...2 { #expect(try status() == 200) }
        #expect(origin.heads.count == 1)
        for _ in 1...2 { #expect(try status(Self.closed) != 200) }
        #expect(origin.heads.count == 1)
        for _ in 1...2 { #expect(try status() == 200) }
        #expect(origin.heads.count == 2)
    }

    @Test func `also where a reload had opened them`() throws {
        try write("origin:", "  deny-networks: [127.0.0.0/8]")
        let first = try DaemonUnderTest(
            ["--config", file], cache: cache, environment: DaemonUnderTest.trusting)
        #expect(try first.get(target).status != 200)
        try write("log:", "  level: info")
        #expect(try reload(first).changed == ["origin.deny-networks"])
        #expect(try first.get(target).status == 200)
        #expect(first.stop() == 0)
        #expect(try status(Self.closed) != 200)
        #expect(origin.heads.count == 1)
    }

    @Test func `also where the cache's folder was deleted under the daemon before`() throws {
        let first = try DaemonUnderTest(cache: cache)
        let manager = FileManager.default
        try manager.moveItem(atPath: cache.path, toPath: cache.path + "-aside")
        try manager.removeItem(atPath: cache.path + "-aside")
        #expect(try Patience.until { try first.metric("pictor_disk_reopened_total") == 1 })
        #expect(try first.saysRecovery())
        #expect(try first.get(target).status == 200)
        #expect(first.stop() == 0)
        #expect(try CacheIndex(cache).names(in: "originals").count == 1)
        #expect(try status(Self.closed) != 200)
        #expect(origin.heads.count == 1)
    }

    @Test func `also where a folder takes the place of another under the daemon`() throws {
        #expect(try status() == 200)
        let (manager, other) = (FileManager.default, cache.path + "-other")
        try manager.moveItem(atPath: cache.path, toPath: other)
        let daemon = try DaemonUnderTest(Self.closed, cache: cache)
        // A new one may be made in between.
        #expect(
            Patience.until {
                try? manager.removeItem(atPath: cache.path)
                return (try? manager.moveItem(atPath: other, toPath: cache.path)) != nil
            })
        #expect(daemon.logLine(with: "all that it holds is confirmed anew", "originals") != nil)
        #expect(try daemon.get(target).status != 200)
        #expect(daemon.stop() == 0)
        #expect(try status(Self.closed) != 200)
        #expect(origin.heads.count == 1)
    }

    @Test func `and all is confirmed once where nobody can read by which rules it came`() throws {
        #expect(try status() == 200)
        let rules = cache.path + "/origin-rules"
        #expect(FileManager.default.fileExists(atPath: rules))
        try "nothing that can be read".write(toFile: rules, atomically: true, encoding: .utf8)
        for _ in 1...2 { #expect(try status() == 200) }
        #expect(origin.heads.count == 2)
    }
}
