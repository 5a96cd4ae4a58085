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

    @Test func `and all is confirmed once where nobody can read by which rules it came`() throws {
        #expect(try status() == 200)
        let rules = cache.path + "/origin-rules"
        #expect(FileManager.default.fileExists(atPath: rules))
        try "nothing that can be read".write(toFile: rules, atomically: true, encoding: .utf8)
        for _ in 1...2 { #expect(try status() == 200) }
        #expect(origin.heads.count == 2)
    }
}
