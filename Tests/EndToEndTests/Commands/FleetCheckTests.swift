// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("pictor check finds out what a fleet lacks", .endToEnd)
struct FleetCheckTests {
    @Test func `the settings are checked, and with --online Redis is`() throws {
        func check(_ flags: String..., environment: [String: String] = [:]) throws -> PictorCommand {
            let folder = TemporaryFolder()
            return try PictorCommand.check(flags, cache: folder.path, environment: environment)
        }
        let redis = try RedisServer()
        let good = try check("--online", "--fleet-redis", redis.address)
        #expect(good.status == 0 && good.error.contains("answers, and takes entries"), "\(good.error)")
        #expect(try redis.cli("KEYS", "*")?.contains("check") == false)
        // Of several addresses, the one that takes entries counts.
        let replica = try redis.replica()
        let both = try check("--online", "--fleet-redis", "\(replica.address),\(redis.address)")
        #expect(both.status == 0 && both.error.contains("answers, and takes entries"), "\(both.error)")
        let alone = try check("--online", "--fleet-redis", replica.address)
        #expect(alone.status != 0 && alone.error.contains("READONLY"), "\(alone.error)")
        let wrong = try check("--fleet-redis", "http://a")
        #expect(wrong.status != 0 && wrong.error.contains("fleet.redis"), "\(wrong.error)")
        // One that repeats what it does not know.
        let strange = try RedisServer("--rename-command", "AUTH", "")
        let refused = try check(
            "--online", "--fleet-redis", strange.address, environment: ["PICTOR_FLEET_PASSWORD": "my-secret"])
        #expect(refused.status != 0 && refused.error.contains("refuses AUTH: ERR"), "\(refused.error)")
        #expect(!refused.error.contains("my-secret"))
        redis.kill()
        let dead = try check("--online", "--fleet-redis", redis.address)
        #expect(dead.status != 0 && dead.error.contains("The fleet's Redis at"), "\(dead.error)")
    }
}
