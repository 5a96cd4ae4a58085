// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("A file of keys counts as it is, however long the start takes", .endToEnd)
struct SecretsAtStartTests: Reloading {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
    let folder = TemporaryFolder()

    @Test func `a key that is taken back while the daemon starts opens nothing`() throws {
        let (old, new) = (String(repeating: "a", count: 40), String(repeating: "b", count: 40))
        let keys = "\(folder.path)/keys"
        try old.write(toFile: keys, atomically: true, encoding: .utf8)
        try write("signatures:", "  keys-file: \(keys)", "  required: [all]")
        let (before, after) = (try signed(origin.url(), by: old), try signed(origin.url(), by: new))
        let redis = try RedisServer()
        // It is connected, and never answered, so the start waits behind the admin listener.
        redis.signal(SIGSTOP)
        defer { redis.signal(SIGCONT) }
        let admin = try ReservedPort()
        Thread.detachNewThread {
            // The keys have been read by then.
            _ = Patience.until { (try? Connection(port: admin.number)) != nil }
            try? new.write(toFile: keys, atomically: true, encoding: .utf8)
            redis.signal(SIGCONT)
        }
        let daemon = try daemon(
            "--admin-listen", "127.0.0.1:\(admin.number)", "--fleet-redis", redis.address,
            "--fleet-catch-up-timeout", "1h")
        #expect(try Patience.until { try daemon.get(after).status == 200 })
        #expect(try daemon.get(before).status == 403)
    }
}
