// SPDX-License-Identifier: Apache-2.0

import Fleet
import FleetSupport
import TestSupport
import Testing

@Suite("Several servers that are one Redis", .timeLimit(.minutes(2)))
struct RedisGroupTests {
    private let folder = TemporaryFolder()

    /// Nil for a group without TLS.
    private func certificate(_ isSecure: Bool) throws -> ServerCertificate? {
        isSecure ? try ServerCertificate(in: folder.path) : nil
    }

    /// Without TLS, and with TLS if redis-server supports it.
    private static let kinds = RedisServer.speaksTLS ? [false, true] : [false]

    @Test(arguments: kinds)
    func `Sentinel leads to the master, and to its successor when it dies`(isSecure: Bool) async throws {
        let user = try DocumentedUser()
        let certificate = try certificate(isSecure)
        let master = try RedisServer(flags: user.flags, certificate: certificate)
        let replica = try master.replica(flags: user.flags)
        let sentinel = try master.sentinel(named: "pictures")
        // The first address does not answer.
        let first = isSecure ? "rediss://127.0.0.1:1" : "redis://127.0.0.1:1"
        var configuration = RedisConfiguration(patient: [first, sentinel.secureAddress ?? sentinel.address])
        configuration.authorities = certificate?.certificate
        configuration.sentinel = "pictures"
        configuration.longestRest = .milliseconds(50)
        user.logIn(&configuration)
        try await FleetWork(configuration: configuration, servers: [master]).run()
        let (a, b) = (try NewsNode(configuration), try NewsNode(configuration))
        for node in [a, b] { #expect(await node.isReady()) }
        #expect(try await a.purge("before") == .told)
        let length = try master.cli("XLEN", "{pictor}:news")
        #expect(try Patience.until { try replica.cli("XLEN", "{pictor}:news") == length })
        #expect(Patience.until { b.selections.contains(NewsNode.selection("before")) })
        #expect(try master.calls(of: "role") > 0 && DocumentedUser.refusals(master) == "")
        master.kill()
        try sentinel.expectsDeath(of: "pictures")
        _ = try await a.purge("after")
        #expect(Patience.until { b.selections.contains(NewsNode.selection("after")) })
        #expect(b.selections.count == 2 && b.gaps.isEmpty, "\(b.selections) \(b.gaps)")
        #expect(try replica.calls(of: "role") > 0 && DocumentedUser.refusals(replica) == "")
        await a.end()
        await b.end()
    }

    @Test(arguments: kinds)
    func `each node of a Cluster leads to the one that has the fleet's slot, also once it moves`(
        isSecure: Bool
    ) async throws {
        let certificate = try certificate(isSecure)
        let cluster = try RedisCluster(certificate)
        func configuration(_ index: Int) -> RedisConfiguration {
            let server = cluster.servers[index]
            var configuration = RedisConfiguration(patient: [server.secureAddress ?? server.address])
            configuration.authorities = certificate?.certificate
            return configuration
        }
        let owner = try #require(try cluster.owner(of: "{pictor}:x"))
        let others = (0..<3).filter { $0 != owner }
        for index in 0..<3 {
            let link = try RedisLink(configuration(index), name: "fleet-test") { _ in }
            try link.start()
            let reply = try await link.send(["INCR", "{pictor}:x"], within: .seconds(60), waits: true)
            #expect(reply == .number(Int64(index + 1)))
            #expect(link.connects == (index == owner ? 1 : 2))
            link.close()
        }
        try await crowd(configuration(others[0]))
        try await FleetWork(configuration: configuration(others[0]), servers: cluster.servers).run()
        for index in others {
            #expect(try cluster.servers[index].cli("DBSIZE")?.hasPrefix("0") == true)
        }
        try await move(cluster, from: owner, configuration(owner))
    }

    /// Commands that are sent together to a node that does not hold their slot are all sent on, and each is carried out once.
    private func crowd(_ configuration: RedisConfiguration) async throws {
        let link = try RedisLink(configuration, name: "fleet-test") { _ in }
        let sums = try await withThrowingTaskGroup(of: Int64?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let reply = try await link.send(
                        ["INCR", "{pictor}:n"], within: .seconds(60), waits: true)
                    guard case .number(let sum) = reply else { return nil }
                    return sum
                }
            }
            try link.start()
            return try await group.reduce(into: Set<Int64?>()) { $0.insert($1) }
        }
        #expect(sums == Set(1...20) && link.connects == 2)
        link.close()
    }

    /// Moves the slot once around the Cluster while a link is connected.
    private func move(
        _ cluster: RedisCluster, from owner: Int, _ configuration: RedisConfiguration
    ) async throws {
        let link = try RedisLink(configuration, name: "fleet-test") { _ in }
        try link.start()
        for target in [owner + 1, owner + 2, owner].map({ $0 % 3 }) {
            _ = try await link.send(["SET", "{pictor}:x", "1"], within: .seconds(60), waits: true)
            try cluster.move(slotOf: "{pictor}:x", to: target)
            let reply = try await link.send(
                ["SET", "{pictor}:x", "\(target)"], within: .seconds(60), waits: true)
            #expect(reply.string == "OK")
            #expect(try cluster.servers[target].cli("GET", "{pictor}:x")?.hasPrefix("\(target)") == true)
        }
        #expect(link.connects == 4)
        link.close()
    }
}
