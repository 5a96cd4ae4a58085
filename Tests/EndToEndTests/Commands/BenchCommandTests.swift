// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("pictor bench measures a URL", .endToEnd)
struct BenchCommandTests {
    private struct Report: Decodable {
        struct First: Decodable {
            var status: Int; var total: Int; var bytes: Int; var cache_status: String?;
            var server_timing: String?
        }
        struct Latency: Decodable {
            var p50: Int; var p90: Int; var p99: Int; var maximum: Int; var mean: Int
        }
        var first: First
        var requests: Int
        var statuses: [String: Int]
        var failures: [String: Int]
        var bytes: Int
        var microseconds: Int
        var rate: Double
        var latency: Latency?
        var latency_from: String
    }

    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    private func report(_ command: PictorCommand) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(command.output.utf8))
    }

    @Test func `the first answer is made, the others are hits, and the daemon has counted as many`() throws {
        let daemon = try DaemonUnderTest()
        let url = "http://127.0.0.1:\(daemon.port)\(DaemonUnderTest.target(origin.url(), "w=30"))"
        let command = try PictorCommand(["bench", url, "--count", "200", "--connections", "4", "--json"])
        #expect(command.status == 0, "\(command.error)")
        let report = try report(command)
        #expect(report.first.status == 200 && report.first.cache_status?.contains("fwd=uri-miss") == true)
        #expect(report.first.server_timing?.contains("decode") == true)
        #expect(report.requests == 200 && report.statuses == ["200": 200] && report.failures.isEmpty)
        #expect(report.bytes == 200 * report.first.bytes && report.rate > 0)
        let latency = try #require(report.latency)
        #expect(latency.p50 <= latency.p90 && latency.p90 <= latency.p99 && latency.p99 <= latency.maximum)
        #expect(
            try Patience.until { try daemon.metric("pictor_requests_total", "outcome=\"memoryHit\"") == 200 })
        #expect(try daemon.metric("pictor_connections_accepted_total") == 5, "kept alive")
    }

    @Test func `an answer that is no success is counted by its status, and ends with status 1`() throws {
        let daemon = try DaemonUnderTest()
        let command = try PictorCommand(
            ["bench", "http://127.0.0.1:\(daemon.port)/img?w=nonsense", "--count", "10"])
        #expect(command.status == 1)
        #expect(command.lines.contains("answers   400: 10") && command.lines.contains("failures  none"))
    }

    @Test func `with a rate, a stall counts for those who would have asked meanwhile`() throws {
        // Over one connection no machine answers as fast as they are meant to be asked for: a microsecond apart.
        let origin = ScriptedOrigin { $0.answer(body: Array("x".utf8)) }
        let arguments = ["bench", origin.url().absolute, "--count", "50", "--connections", "1", "--json"]
        let closed = try report(PictorCommand(arguments))
        let paced = try report(PictorCommand(arguments + ["--rate", "1000000"]))
        #expect(closed.latency_from == "sent" && paced.latency_from == "intended")
        // One after the other, they took no longer together than all of it; the mean is rounded.
        #expect(try #require(closed.latency).mean * 50 <= closed.microseconds + 25)
        // The last, meant for 49 µs after the start, has waited for all others.
        #expect(try #require(paced.latency).maximum >= paced.microseconds - 49)
    }

    @Test func `connections that break are failures with their reason`() throws {
        let counter = Latch()
        let broken = ScriptedOrigin { peer in
            counter.signal()
            if counter.count == 1 { return peer.answer(body: Array("x".utf8)) }
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx")
            peer.close()
        }
        let command = try PictorCommand(["bench", broken.url().absolute, "--count", "3", "--json"])
        #expect(command.status == 1)
        let report = try report(command)
        #expect(report.failures == ["closed before the answer's end": 3] && report.statuses.isEmpty)
    }

    @Test func `after a hundred failures in a row no request begins`() throws {
        let counter = Latch()
        let gone = ScriptedOrigin { peer in
            counter.signal()
            if counter.count == 1 { peer.answer(body: Array("x".utf8)) }
            peer.close()
        }
        let command = try PictorCommand(
            ["bench", gone.url().absolute, "--count", "1000", "--connections", "1", "--json"])
        #expect(command.status == 1)
        let report = try report(command)
        #expect(report.requests == 100 && report.failures.values.reduce(0, +) == 100)
    }

    @Test func `nobody there is one sentence, and a wrong command line another status`() throws {
        let nobody = try PictorCommand(["bench", "http://127.0.0.1:1/"])
        #expect(nobody.status == 1 && nobody.error.contains("Connection refused") && nobody.output.isEmpty)
        for arguments in [["https://a/"], ["http://a/", "--count", "0"], ["http://a/", "--accept", "a\nb"]] {
            #expect(try PictorCommand(["bench"] + arguments).status == 64, "\(arguments)")
        }
    }
}
