// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Decoders that work at the same time keep out of each other's memory", .endToEnd)
struct ConcurrentDecodersTests {
    private static let picture = Pictures.noise(400, 300)
    private static let clients = 4
    private static let rounds = 12

    /// Loops for blurs and resizes are compiled while another process runs its own.
    private static func options(_ round: Int, _ client: Int) -> String {
        "w=\(100 + 10 * round + client)&blur=\(1 + client)&output=png"
    }

    @Test func `what they make is what one makes alone`() throws {
        let origin = ScriptedOrigin { $0.picture(Self.picture) }
        let one = try DaemonUnderTest(["--decoder-processes", "1"])
        let several = try DaemonUnderTest(["--decoder-processes", "3"])
        #expect(try Patience.until { try several.metric("pictor_decoders") == 4 })
        let connections = try (0..<Self.clients).map { _ in try Connection(port: several.port) }
        for round in 0..<Self.rounds {
            for (client, connection) in connections.enumerated() {
                try connection.request(
                    DaemonUnderTest.target(origin.url(), Self.options(round, client)))
            }
            for (client, connection) in connections.enumerated() {
                let reply = try connection.reply()
                #expect(reply.status == 200, "\(reply.text)")
                let alone = try one.get(origin.url(), Self.options(round, client))
                #expect(reply.body == alone.body, "\(Self.options(round, client))")
            }
        }
        #expect(try several.metric("pictor_decoder_crashes_total") == 0)
    }
}
