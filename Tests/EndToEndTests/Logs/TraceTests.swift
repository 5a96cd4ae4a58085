// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("Spans of requests reach the collector", .endToEnd)
struct TraceTests {
    private let collector = TraceCollector()
    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private func daemon(_ flags: [String] = ["--traces-ratio", "1"]) throws -> DaemonUnderTest {
        try DaemonUnderTest(
            ["--traces-endpoint", collector.endpoint] + flags, environment: DaemonUnderTest.withoutNames)
    }

    private func spans(_ names: String..., ofTraces count: Int = 1) throws -> [TraceCollector.Span] {
        try #require(
            collector.spans { spans in
                Set(spans.map(\.trace)).count >= count && Set(names).isSubset(of: spans.map(\.name))
            }, "\(collector.spans.map(\.name))")
    }

    @Test func `a made picture has a span for each stage, each within its parent`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(600, 400)) }
        let daemon = try daemon()
        let reply = try daemon.get(origin.url("/a?token=hush"), "w=300")
        let spans = try spans("GET", "render", "keep")
        let names = spans.map(\.name)
        #expect(
            Set(names) == [
                "GET", "original", "fetch queue", "inspect", "keep", "cache", "rendition", "decode queue",
                "render", "decode", "encode",
            ])
        #expect(Set(spans.map(\.trace)).count == 1)
        let byID = Dictionary(uniqueKeysWithValues: spans.map { ($0.id, $0) })
        let server = try #require(spans.first { $0.parent.isEmpty })
        for span in spans where span.id != server.id {
            let parent = try #require(byID[span.parent], "\(span.name)")
            #expect(parent.start <= span.start && span.start <= span.end, "\(span.name)")
        }
        #expect(server.name == "GET" && server.kind == 2)
        #expect(server.attributes["http.request.method"] == "GET")
        #expect(server.attributes["url.path"] == "/img")
        #expect(server.attributes["http.response.status_code"] == "200")
        #expect(server.attributes["http.response.body.size"] == String(reply.body.count))
        #expect(server.attributes["client.address"] == "127.0.0.1")
        #expect(server.attributes["pictor.outcome"] == "rendered")
        #expect(server.attributes["pictor.dialect"] == "native")
        let client = try #require(spans.first { $0.kind == 3 })
        #expect(client.attributes["server.address"] == "127.0.0.1")
        #expect(client.attributes["server.port"] == String(origin.port))
        #expect(client.attributes["url.full"]?.hasSuffix("/a?token=REDACTED") == true)
        // Neither in the request's own URL.
        #expect(!spans.contains { $0.attributes.values.contains { $0.contains("hush") } })
        #expect(collector.resource["service.name"] == "pictor" && collector.malformed == 0)
        #expect(collector.heads[0].hasPrefix("POST /v1/traces HTTP/1.1\r\n"))
        #expect(collector.heads[0].contains("Content-Type: application/x-protobuf\r\n"))
        #expect(
            try Patience.until {
                try daemon.metric("pictor_trace_spans_total", "exported") == collector.spans.count
            })
    }

    @Test func `hits and refusals have the request's span alone, and their lines its trace`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let daemon = try daemon()
        let target = DaemonUnderTest.target(origin.url(), "w=30")
        _ = try daemon.get(target)
        _ = try daemon.get(target)
        _ = try daemon.get("/img?w=9")
        let spans = try spans(ofTraces: 3)
        let hit = try #require(spans.first { $0.attributes["pictor.outcome"] == "memoryHit" })
        let refusal = try #require(spans.first { $0.attributes["http.response.status_code"] == "400" })
        #expect(refusal.attributes["error.type"] != nil && !refusal.isFailed)
        for span in [hit, refusal] {
            #expect(spans.count { $0.trace == span.trace } == 1)
            let text = span.trace.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            let lines = try #require(daemon.accessLog(of: 3))
            #expect(lines.count { $0.contains("\"trace\":\"\(text)\"") } == 1)
        }
    }

    @Test func `a request that waits for another's work points to it`() throws {
        let (asked, release) = (Latch(), Latch())
        let origin = ScriptedOrigin { peer in
            asked.signal()
            release.wait()
            peer.picture(Pictures.gradient(60, 40))
        }
        let daemon = try daemon([
            "--traces-ratio", "1", "--origin-first-byte-timeout", "2m", "--origin-timeout", "3m",
        ])
        let connections = try (0..<2).map { _ in
            let connection = try Connection(port: daemon.port)
            try connection.request(DaemonUnderTest.target(origin.url(), "w=30"))
            return connection
        }
        #expect(asked.wait())
        // A request is under way before it has joined.
        #expect(try Patience.until { try daemon.admin("/admin/live").text.contains("\"waiting\":2") })
        release.signal()
        for connection in connections { #expect(try connection.reply().status == 200) }
        let spans = try spans("render", ofTraces: 2)
        let joined = try #require(
            spans.first { $0.name == "original" && $0.attributes["pictor.coalesced"] == "1" })
        let led = try #require(spans.first { $0.name == "original" && $0.trace != joined.trace })
        #expect(joined.links == [led.trace + led.id])
    }

    @Test func `failed ones are kept whatever the ratio, with the origin's part`() throws {
        let origin = ScriptedOrigin { $0.answer("500 Broken") }
        let daemon = try daemon(["--traces-ratio", "0", "--traces-slow", "0s"])
        #expect(try daemon.get("/img?w=9").status == 400)
        #expect(try daemon.get(origin.url(), "w=30").status == 502)
        let spans = try spans("GET", "original")
        let server = try #require(spans.first { $0.parent.isEmpty })
        #expect(server.isFailed && server.attributes["error.type"] == "origin_status")
        let client = try #require(spans.first { $0.kind == 3 })
        #expect(client.isFailed && client.attributes["http.response.status_code"] == "500")
        #expect(Set(spans.map(\.trace)).count == 1)
    }

    @Test func `slow ones are kept whatever the ratio`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        // Each request takes a millisecond that is made by a decoder.
        let daemon = try daemon(["--traces-ratio", "0", "--traces-slow", "1ms", "--traces-failed", "false"])
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
        #expect(try spans("GET", "render").contains { $0.attributes["pictor.outcome"] == "rendered" })
    }

    @Test func `a client's trace goes on only where the setting says so`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let fields = [("traceparent", Self.parent), ("tracestate", "rojo=1")]
        let trusting = try daemon(["--traces-ratio", "0", "--traces-parent", "true"])
        for _ in 0..<2 { #expect(try trusting.get(origin.url(), "w=30", fields: fields).status == 200) }
        #expect(try trusting.metric("pictor_memory_misses_total") == 1)
        #expect(try trusting.metric("pictor_memory_hits_total") == 1, "it counts as any other hit")
        // A hit too is a part of the client's trace.
        let both = try #require(collector.spans { $0.count { $0.kind == 2 } == 2 })
        for span in both where span.kind == 2 {
            #expect(span.trace.first == 0x4B && span.parent == [0, 0xF0, 0x67, 0xAA, 0x0B, 0xA9, 0x02, 0xB7])
            #expect(span.state == "rojo=1")
        }
        let wary = try daemon(["--traces-ratio", "0"])
        #expect(try wary.get(origin.url(), "w=30", fields: fields).status == 200)
        #expect(try wary.get("/img?url=http://nowhere.invalid/&w=9", fields: fields).status == 502)
        let later = try #require(
            collector.spans { $0.contains { $0.attributes["error.type"] == "origin_unreachable" } })
        // The rest of the first trace may have come since.
        #expect(later.count { $0.kind == 2 && $0.trace.first == 0x4B } == 2)
    }

    @Test func `origins that the setting names are told the trace, and no others, also after a redirect`()
        throws
    {
        let other = ScriptedOrigin(address: "127.0.0.2") { $0.picture(Pictures.gradient(60, 40)) }
        let named = ScriptedOrigin { [there = other.url().absolute] peer in peer.redirect(to: there) }
        let daemon = try daemon(["--traces-ratio", "1", "--traces-origins", "127.0.0.1"])
        #expect(try daemon.get(named.url(), "w=30").status == 200)
        let client = try #require(try spans("GET", "render").first { $0.kind == 3 })
        let id = client.id.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(named.heads.count == 1 && named.heads[0].contains("\r\ntraceparent: 00-"))
        #expect(named.heads[0].contains("-\(id)-01\r\n"))
        #expect(other.heads.count == 1 && !other.heads[0].lowercased().contains("traceparent"))
        #expect(client.attributes["pictor.redirects"] == "1")
    }

    @Test func `nothing is traced and nobody told where no collector is set`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let daemon = try DaemonUnderTest()
        let reply = try daemon.get(origin.url(), "w=30", fields: [("traceparent", Self.parent)])
        #expect(reply.status == 200)
        #expect(!origin.heads[0].lowercased().contains("trace"))
        #expect(try #require(daemon.accessLog(of: 1))[0].contains("trace") == false)
        #expect(try daemon.metric("pictor_trace_spans_total") == 0)
    }

    @Test func `what waits at the end is sent before the daemon leaves`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        // A daemon that ends sends for two seconds, which a machine with much else to do may use up.
        for _ in 1...5 {
            let daemon = try daemon()
            #expect(try daemon.get(origin.url(), "w=30").status == 200)
            #expect(try #require(daemon.accessLog(of: 1)).count == 1)
            #expect(daemon.stop() == 0)
            if collector.spans.contains(where: { $0.name == "render" }) { return }
        }
        Issue.record("No daemon has sent what waited.")
    }
}

@Suite("A collector that fails costs nobody anything", .endToEnd)
struct TraceLossTests {
    @Test func `spans that find no room are dropped and counted, and requests go on`() throws {
        let release = Latch()
        let collector = TraceCollector { _ in
            release.wait()
            return "200 OK"
        }
        let daemon = try DaemonUnderTest([
            "--traces-endpoint", collector.endpoint, "--traces-ratio", "1", "--traces-queue", "64",
        ])
        let isFull = try Patience.until {
            for _ in 0..<100 { _ = try daemon.get("/img?w=9") }
            return try daemon.metric("pictor_trace_spans_total", "dropped") > 0
        }
        #expect(isFull)
        release.signal()
        #expect(try Patience.until { try daemon.metric("pictor_trace_spans_total", "exported") >= 64 })
    }

    @Test func `a collector that is restarted gets the batch again`() throws {
        let collector = TraceCollector { $0 == 0 ? "503 Later\r\nRetry-After: 1" : "200 OK" }
        let daemon = try DaemonUnderTest([
            "--traces-endpoint", collector.endpoint, "--traces-ratio", "1",
        ])
        #expect(try daemon.get("/img?w=9").status == 400)
        #expect(try Patience.until { try daemon.metric("pictor_trace_spans_total", "exported") == 1 })
        // The same span twice, as it came.
        #expect(collector.spans.count == 2 && Set(collector.spans.map(\.id)).count == 1)
    }

    @Test func `spans that the collector leaves out of a batch are counted, with a line that says why`()
        throws
    {
        // partial_success { rejected_spans: 1, error_message: "quota…" }, whose lengths are of two bytes each
        let words = Array("quota".utf8) + Array(repeating: UInt8(ascii: "."), count: 6_000)
        func length(_ count: Int) -> [UInt8] { [UInt8(count & 127 | 128), UInt8(count >> 7)] }
        let content = [0x0A] + length(words.count + 5) + [0x08, 1, 0x12] + length(words.count) + words
        let collector = TraceCollector(content: content)
        let daemon = try DaemonUnderTest(["--traces-endpoint", collector.endpoint, "--traces-ratio", "1"])
        #expect(try daemon.get("/img?w=9").status == 400)
        #expect(daemon.logLine(with: "the collector left spans out", "quota", "\"spans\":\"1\"") != nil)
        #expect(try daemon.metric("pictor_trace_spans_total", "failed") == 1)
        #expect(try daemon.metric("pictor_trace_spans_total", "exported") == 0)
        #expect(collector.heads.count == 1, "they are not sent again")
    }

    @Test func `a batch that the collector refuses is given up, with a line that says why`() throws {
        let collector = TraceCollector { $0 == 0 ? "401 Unauthorized" : "200 OK" }
        let daemon = try DaemonUnderTest(
            ["--traces-endpoint", collector.endpoint, "--traces-ratio", "1"],
            environment: ["PICTOR_TRACES_CREDENTIALS": "Authorization: Bearer wrong-token"])
        #expect(try daemon.get("/img?w=9").status == 400)
        #expect(daemon.logLine(with: "the collector took no traces", "status 401", "\"spans\":\"1\"") != nil)
        #expect(try daemon.metric("pictor_trace_spans_total", "failed") == 1)
        #expect(collector.heads[0].contains("\r\nAuthorization: Bearer wrong-token\r\n"))
        #expect(try daemon.get("/img?w=9").status == 400)
        #expect(daemon.logLine(with: "the collector takes traces again") != nil)
        #expect(!daemon.log.contains { $0.contains("wrong-token") })
    }
}
