// SPDX-License-Identifier: Apache-2.0

import Fleet
import FleetSupport
import TestSupport
import Testing

@Suite("Purges where a replica answers", .timeLimit(.minutes(2)))
struct NewsReplicaTests {
    @Test func `a node reads from the master, though a replica that has lost it answers first`() async throws
    {
        let master = try RedisServer()
        let replica = try master.replica()
        let a = try NewsNode(RedisConfiguration(patient: [master.address]))
        #expect(await a.isReady())
        let length = try master.cli("XLEN", "{pictor}:news")
        #expect(try Patience.until { try replica.cli("XLEN", "{pictor}:news") == length })
        // The replica gets nothing any more, and goes on answering.
        try master.cli("ACL", "SETUSER", "default", "-psync", "-sync")
        try master.cli("CLIENT", "KILL", "TYPE", "replica")
        let b = try NewsNode(RedisConfiguration(patient: [replica.address, master.address]))
        #expect(await b.isReady())
        #expect(try await a.purge("after") == .told)
        #expect(Patience.until { b.selections == [NewsNode.selection("after")] })
        #expect(b.gaps.isEmpty, "\(b.gaps)")
        await a.end()
        await b.end()
    }

    @Test func `a user that may not ask for the role reads where it is`() async throws {
        let redis = try RedisServer("--user", "pictor", "on", ">secret", "~*", "+@all", "-role")
        var configuration = RedisConfiguration(patient: [redis.address])
        (configuration.user, configuration.password) = ("pictor", "secret")
        let node = try NewsNode(configuration)
        #expect(await node.isReady())
        #expect(try DocumentedUser.refusals(redis)?.contains("role") == true)
        await node.end()
    }

    @Test func `a link that leaves goes on to the next address`() async throws {
        let (first, second) = (try RedisServer(), try RedisServer())
        let configuration = RedisConfiguration(patient: [first.address, second.address])
        let link = try RedisLink(configuration, name: "fleet-test") { _ in }
        try link.start()
        _ = try await link.send(["SET", "k", "1"], within: .seconds(60), waits: true)
        link.leave(1, because: "it is of no use")
        #expect(Patience.until { link.connects == 2 })
        _ = try await link.send(["SET", "k", "2"], within: .seconds(60), waits: true)
        #expect(try first.cli("GET", "k")?.hasPrefix("1") == true)
        // The first connection has ended already, so this does not end the second.
        link.leave(1, because: "it was of no use")
        _ = try await link.send(["PING"], within: .seconds(60))
        #expect(link.connects == 2)
        #expect(try second.cli("GET", "k")?.hasPrefix("2") == true)
        link.close()
    }
}
