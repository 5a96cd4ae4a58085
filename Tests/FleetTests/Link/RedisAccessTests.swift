// SPDX-License-Identifier: Apache-2.0

import Fleet
import FleetSupport
import Foundation
import Synchronization
import TestSupport
import Testing

extension DocumentedUser {
    func logIn(_ configuration: inout RedisConfiguration) {
        (configuration.user, configuration.password) = (name, password)
    }
}

@Suite("A Redis with users and TLS", .timeLimit(.minutes(2)))
struct RedisAccessTests {
    private let folder = TemporaryFolder()

    @Test func `the documented user may do what a fleet does, and nothing that it does not`()
        async throws
    {
        let user = try DocumentedUser()
        let redis = try RedisServer(flags: user.flags)
        var configuration = RedisConfiguration(patient: ["redis://127.0.0.1:\(redis.port)/1"])
        user.logIn(&configuration)
        try await FleetWork(configuration: configuration, servers: [redis]).run()
        #expect(try DocumentedUser.refusals(redis) == "")
        // Only a link to a Cluster whose slot moves sends ASKING.
        for command in user.commands where command != "asking" {
            #expect(try redis.calls(of: command) > 0, "\(command)")
        }
    }

    @Test func `another prefix is refused to that user, and the news says so`() async throws {
        let user = try DocumentedUser()
        let redis = try RedisServer(flags: user.flags)
        var configuration = RedisConfiguration(patient: [redis.address])
        user.logIn(&configuration)
        let node = try NewsNode(configuration) { $0.prefix = "other" }
        #expect(Patience.until { node.isStuck })
        #expect(try DocumentedUser.refusals(redis)?.contains("{other}:news") == true)
        await node.end()
    }

    @Test(.enabled(if: RedisServer.speaksTLS, "this redis-server was built without TLS"))
    func `all of it goes over TLS`() async throws {
        let certificate = try ServerCertificate(in: folder.path)
        let user = try DocumentedUser()
        let redis = try RedisServer(flags: user.flags, certificate: certificate)
        var configuration = RedisConfiguration(patient: [try #require(redis.secureAddress) + "/1"])
        user.logIn(&configuration)
        configuration.authorities = certificate.certificate
        try await FleetWork(configuration: configuration, servers: [redis]).run()
        #expect(try DocumentedUser.refusals(redis) == "")
    }

    @Test(
        .enabled(if: RedisServer.speaksTLS, "this redis-server was built without TLS"),
        arguments: [("IP:127.0.0.1", false), ("IP:127.0.0.2", true)])
    func `a certificate that nobody vouches for, or for another host, is none`(
        name: String, isVouchedFor: Bool
    ) async throws {
        let certificate = try ServerCertificate(in: folder.path, for: name)
        let redis = try RedisServer(flags: ["--requirepass", "secret"], certificate: certificate)
        var configuration = RedisConfiguration(patient: [try #require(redis.secureAddress)])
        configuration.password = "secret"
        if isVouchedFor { configuration.authorities = certificate.certificate }
        let reasons = Mutex<[RedisEvent]>([])
        let link = try RedisLink(configuration, name: "fleet-test") { event in
            reasons.withLock { $0.append(event) }
        }
        try link.start()
        #expect(Patience.until { reasons.withLock { !$0.isEmpty } })
        guard case .away(let words)? = reasons.withLock({ $0.first }) else {
            Issue.record("\(reasons.withLock { $0 })")
            return
        }
        #expect(words.localizedCaseInsensitiveContains("certificate"), "\(words)")
        // No other server gets the password.
        #expect(try redis.calls(of: "auth") == 0)
        link.close()
    }
}
