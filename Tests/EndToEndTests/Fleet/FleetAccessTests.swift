// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Daemons speak with Redis by TLS, as the documented user", .endToEnd)
struct FleetAccessTests {
    private let folder = TemporaryFolder()
    private let store = StoreDouble()

    @Test(.enabled(if: RedisServer.speaksTLS, "this redis-server was built without TLS"))
    func `that user may do whatever they do, and what he may not do, they do not ask for`() throws {
        let certificate = try ServerCertificate(in: folder.path)
        let user = try DocumentedUser()
        let redis = try RedisServer(flags: user.flags, certificate: certificate)
        let address = try #require(redis.secureAddress)
        let reach = [
            "--fleet-redis", address, "--fleet-user", user.name, "--fleet-command-timeout", "60s",
            "--origin-certificate-authorities", certificate.certificate,
        ]
        let secrets = ["PICTOR_FLEET_PASSWORD": user.password]
        let limits = [
            "--fleet-limit-timeout", "60s", "--fleet-client-limits", "true", "--fleet-origin-limits",
            "true", "--limits-requests-per-client", "9999/1h", "--limits-misses-per-client", "9999/1h",
            "--origin-maximum-rate-per-host", "9999",
        ]
        let nodes = try (0..<2).map { _ in
            try DaemonUnderTest(
                store.flags + reach + limits,
                environment: StoreDouble.secrets.merging(DaemonUnderTest.trusting) { $1 }
                    .merging(secrets) { $1 })
        }
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 30)) }
        for (index, node) in nodes.enumerated() {
            var number = 0
            // Each part of the daemon has a connection of its own.
            let hasAll = try Patience.until {
                number += 1
                #expect(try node.get(origin.url("/\(index)/\(number)"), "w=30").status == 200)
                return try node.metric("pictor_fleet_leases_total", "result=\"led\"") > 0
                    && node.metric("pictor_fleet_client_limits_total", "result=\"granted\"") > 0
                    && node.metric("pictor_fleet_origin_limits_total", "result=\"granted\"") > 0
            }
            #expect(hasAll)
            let target = DaemonUnderTest.target(origin.url("/new"), "w=30").drop { $0 != "?" }
            let report = try node.order("/admin/explain\(target)", method: "GET").text
            #expect(report.contains("\"fleet_fetches\":0"), "\(report)")
        }
        // So has the one by which purges are told.
        #expect(try Patience.until { try nodes[0].metric("pictor_fleet_connected") == 1 })
        let purge = try nodes[0].order("/admin/purge", #"{"all":true}"#)
        #expect(purge.text.contains(#""fleet":"told""#), "\(purge.text)")
        #expect(
            try Patience.until {
                try nodes[1].metric("pictor_fleet_purges_total", "direction=\"received\"") == 1
            })
        let check = try PictorCommand(
            [
                "check", "--online", "--cache-directory", folder.path + "/cache", "--server-listen",
                "127.0.0.1:0",
            ]
                + reach, environment: secrets)
        #expect(check.status == 0 && check.error.contains("answers, and takes entries"), "\(check.error)")
        for node in nodes { #expect(node.stop() == 0) }
        #expect(try DocumentedUser.refusals(redis) == "")
    }

    @Test func `a Redis that refuses a node costs what nodes share, and no picture`() throws {
        let redis = try RedisServer(flags: ["--requirepass", "secret"])
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 30)) }
        let node = try DaemonUnderTest(
            store.flags + ["--fleet-redis", redis.socket, "--fleet-catch-up-timeout", "1s"],
            environment: StoreDouble.secrets)
        #expect(try node.get(origin.url(), "w=30").status == 200)
        #expect(node.logLine(with: "refuses", "NOAUTH") != nil)
    }
}
