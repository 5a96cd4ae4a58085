// SPDX-License-Identifier: Apache-2.0

@testable import Fleet
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A session with Redis over TLS` {
    @Test func `goes on while Redis takes nothing`() throws {
        let folder = TemporaryFolder()
        let files = try ServerCertificate(in: folder.path)
        let server = try SecureServer(files, [])
        let address = try #require(RedisAddress("rediss://127.0.0.1:\(server.port)"))
        var configuration = RedisConfiguration([address])
        configuration.authorities = files.certificate
        configuration.connectTimeout = .seconds(60)
        let session = try RedisSession(address, configuration, abort: RedisSocket.AbortCheck { false })
        server.stop()
        // More bytes than the kernel buffers.
        for _ in 0..<200 { try session.send([UInt8](repeating: 0x2B, count: 100_000)) }
        withExtendedLifetime(server) {}
    }
}
