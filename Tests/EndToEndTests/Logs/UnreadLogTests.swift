// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("A log that nobody takes neither ends the daemon nor holds it up", .endToEnd)
struct UnreadLogTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    private static let readers = UnreadDaemon.Reader.allCases.filter { $0 != .attentive }

    @Test(arguments: readers, ["text", "json"])
    func `whoever reads, it serves, has its decoders back, and ends`(
        reader: UnreadDaemon.Reader, format: String
    ) throws {
        let daemon = try UnreadDaemon(
            output: reader, errors: reader,
            [
                "--log-format", format, "--log-level", "debug", "--server-drain-timeout", "1s",
                // As long as it takes until there are decoders again.
                "--decoder-queue-timeout", "2m",
            ])
        try #require(daemon.serves())
        #expect(try daemon.get(DaemonUnderTest.target(origin.url(), "w=30")).status == 200)
        #expect(try daemon.get("/nothing").status == 404)

        for width in 31...33 {
            let killed = daemon.decoders
            for decoder in killed { kill(decoder, SIGKILL) }
            #expect(
                Patience.until {
                    let alive = daemon.decoders
                    return alive.count >= 2 && alive.isDisjoint(with: killed)
                })
            #expect(try daemon.get(DaemonUnderTest.target(origin.url(), "w=\(width)")).status == 200)
        }
        daemon.signal(SIGHUP)
        daemon.signal(SIGPIPE)
        #expect(try daemon.get(DaemonUnderTest.target(origin.url(), "w=34")).status == 200)
        if [.gone, .fullDisk].contains(reader) {
            let name = "pictor_log_lines_dropped_total{stream=\"stderr\"}"
            #expect(try Patience.until { try daemon.metric(name) > 0 }, "what cannot be written is counted")
        }
        #expect(daemon.stop() == 0)
    }

    @Test func `lines beyond the queue are dropped, counted, and told of once somebody reads`() throws {
        let daemon = try UnreadDaemon(
            output: .hanging, errors: .attentive, ["--log-queue", "64KiB", "--log-format", "json"])
        try #require(daemon.serves())
        let name = "pictor_log_lines_dropped_total{stream=\"stdout\"}"
        // By whoever found out that it serves.
        var asked = 1
        let target = "/nothing?" + String(repeating: "x", count: 2_000)
        let overflows = try Patience.until {
            _ = try daemon.get(target)
            asked += 1
            return try asked > 100 && daemon.metric(name) > 9
        }
        #expect(overflows)
        let taken = daemon.readOutput()
        let line = try #require(daemon.logLine(with: "lines of the access log were dropped"))
        let dropped = try daemon.metric(name)
        #expect(line.contains("\"lines\":\"\(dropped)\""), "\(line)")
        #expect(Patience.until { taken().count >= asked - dropped })
        #expect(taken().count == asked - dropped)
        #expect(taken().allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") }, "every line is whole")
        #expect(daemon.stop() == 0)
    }

    @Test(arguments: readers)
    func `a mistake in the settings is an exit status, whoever reads of it`(reader: UnreadDaemon.Reader)
        throws
    {
        let daemon = try UnreadDaemon(output: reader, errors: reader, ["--cache-memory", "lots"])
        #expect(daemon.exitStatus == 78)
    }
}
