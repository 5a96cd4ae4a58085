// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import TestSupport
import Testing

@Suite("Decoders are replaced when they are old, and no request sees it", .endToEnd, .timeLimit(.minutes(5)))
struct RecyclingTests {
    private static let clients = 6
    private static let rounds = 25

    /// Rounds of new renditions, more of them at a time than there are decoders.
    /// - Returns: the statuses, and the fewest decoders that were counted meanwhile.
    private static func ask(_ daemon: DaemonUnderTest, _ source: SourceURL) throws -> ([Int], fewest: Int) {
        let connections = try (0..<clients).map { _ in try Connection(port: daemon.port) }
        var (statuses, fewest) = ([Int](), Int.max)
        for round in 0..<rounds {
            for (client, connection) in connections.enumerated() {
                // Encoders in turn, since code counts as a process's memory once it has run there.
                let format = ["jpg", "webp", "avif"][client % 3]
                let options = "w=\(10 + round)&h=\(10 + client)&fit=fill&output=\(format)"
                try connection.request(DaemonUnderTest.target(source, options))
            }
            fewest = min(fewest, try daemon.metric("pictor_decoders"))
            for connection in connections { statuses.append(try connection.reply().status) }
        }
        return (statuses, fewest)
    }

    @Test(arguments: [["--decoder-recycle-after", "3"], ["--decoder-recycle-above", "32MiB"]])
    func `by their pictures and by their size`(flags: [String]) throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(64, 64)) }
        let daemon = try DaemonUnderTest(flags)
        // Two that work and one to spare.
        #expect(try Patience.until { try daemon.metric("pictor_decoders") == 3 })
        let (statuses, fewest) = try Self.ask(daemon, origin.url())
        #expect(statuses.count == Self.clients * Self.rounds)
        #expect(statuses.allSatisfy { $0 == 200 })
        #expect(fewest >= 2)
        // No request was let in and then had to wait for a process to start.
        #expect(try daemon.metric("pictor_decoder_waits_total") == 0)
        #expect(try daemon.metric("pictor_decoder_crashes_total") == 0)
        #expect(try Patience.until { try daemon.metric("pictor_decoder_restarts_total") >= 2 })
        #expect(try Patience.until { try daemon.metric("pictor_decoders") == 3 })
        #expect(daemon.log.allSatisfy { !$0.contains("\"decoder ended\"") })
    }
}
