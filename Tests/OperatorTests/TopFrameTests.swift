// SPDX-License-Identifier: Apache-2.0

internal import Endpoints
import Operator
import Testing

/// Moments in the form of `GET /admin/live`.
enum Moments {
    static func json(target: String = "/img?url=a", decoders: Int = 2, origins: Int = 30, fleet: String = "")
        -> String
    {
        let list = (1...origins).map {
            #"{"origin":"https://o\#($0).test","fetches":\#($0),"failed":0.\#($0 % 10),"milliseconds":\#($0 * 7 % 50)}"#
        }
        let processes = (0..<decoders).map {
            #"{"number":\#($0),"state":"busy","process":7,"original":"jpeg 4000×3000","recipe":"w=300","milliseconds":31,"price":1048576,"resident":2097152}"#
        }
        return """
            {"number":0,"time":1700000000000,"uptime":3725,"version":"9.9","is_ready":true,
            "second":{"memory_hits":90,"disk_hits":5,"rendered":5,"latency_50":200,"latency_95":1500,"latency_99":20000},
            "decoders":[\(processes.joined(separator: ","))],
            "budgets":{"memory":{"used":50,"limit":100},"disk":{"used":1024},"pictures":{"used":0,"limit":0}},
            "fetching":[{"url":"https://a.test/x","waiting":1}],
            "targets":[{"target":"\(target)","share":0.25,"byte_share":0.5},{"target":"/img?url=b","share":0.1,"byte_share":0.75}],
            "origins":[{"origin":"https://rests.test","state":"resting","failures":3,"rests":2,"retry_after":9}],
            "resting_origins":1,"fetched_origins":[\(list.joined(separator: ","))],
            "errors":[{"target":"/x","method":"GET","status":502,"outcome":"refused","error":"origin_timeout","time":5,"count":2}],
            \(fleet)"readers":0,"tasks":[]}
            """
    }
}

@Suite("The live view's lines")
struct TopFrameTests {
    private static let stages = StageHistograms(
        page: """
            pictor_stage_seconds_bucket{stage="decode",le="0.01"} 50
            pictor_stage_seconds_bucket{stage="decode",le="0.02"} 90 # {trace_id="x"} 1
            pictor_stage_seconds_bucket{stage="decode",le="+Inf"} 100
            pictor_stage_seconds_count{stage="decode"} 100
            """)

    private func frame(_ json: String = Moments.json()) throws -> TopFrame {
        TopFrame(
            try #require(ControlJSON.read(DaemonMoment.self, from: json.utf8)), stages: Self.stages,
            address: "127.0.0.1:8081")
    }

    @Test(
        arguments: [
            (#""revalidated":5"#, "hits 100 %"),
            // What brought no picture counts neither for the cache nor against it.
            (#""rendered":5,"refused":50,"negative":40,"synthetic_answers":10"#, "hits 95.0 %"),
        ])
    func `the share of hits is that of the metrics`(series: String, words: String) throws {
        let json = Moments.json().replacing(#""rendered":5"#, with: series)
        let lines = try frame(json).lines(TopState(), .init(width: 200, height: 30), trouble: nil)
        #expect(lines.contains { $0.text.contains(words) }, "\(lines.map(\.text))")
    }

    @Test func `it is as high as the terminal, and nowhere wider`() throws {
        let frame = try frame(Moments.json(target: String(repeating: "漢é\\u0007", count: 99), decoders: 20))
        for width in [1, 7, 59, 60, 80, 200] {
            for height in [1, 2, 5, 15, 24, 40, 100] {
                for panel in 0...2 {
                    var state = TopState()
                    for _ in 0..<panel { _ = state.press(.nextPanel, names: []) }
                    let lines = frame.lines(state, .init(width: width, height: height), trouble: nil)
                    #expect(lines.count == height)
                    #expect(lines.allSatisfy { CellText.cells($0.text) <= width }, "\(width)×\(height)")
                }
            }
        }
    }

    @Test func `at 60×15 there are the rate, the hits, the percentiles, the budgets and four rows`() throws {
        let lines = try frame().lines(TopState(), .init(width: 60, height: 15), trouble: nil).map(\.text)
        let text = lines.joined(separator: "\n")
        for words in [
            "pictor 9.9", "ready", "100/s", "hits 95.0 %", "memory 90", "p50 200 µs  p95 1.5 ms  p99 20.0 ms",
            "decode 20.0 ms", "memory 50.0 %", "2 of 2 busy", "ORIGINS", "resting 9 s", "q quit",
        ] { #expect(text.contains(words), "\(words)") }
        #expect(lines.filter { $0.contains("https://") }.count >= 4)
    }

    @Test func `with room, each stage, budget and decoder has a line`() throws {
        let text = try frame().lines(TopState(), .init(width: 100, height: 50), trouble: nil).map(\.text)
            .joined(separator: "\n")
        for words in [
            "STAGE", "encode", "[##########..........]", "DECODER", "jpeg 4000×3000 for 31.0 ms: w=300",
        ] {
            #expect(text.contains(words), "\(words)")
        }
    }

    @Test func `in a fleet the other nodes are counted`() throws {
        let fleet =
            #""fleet":{"is_connected":true,"peers":2,"lag_seconds":0,"outbox":0,"sent":0,"received":0,"#
            + #""gaps":0},"#
        let lines = try frame(Moments.json(fleet: fleet))
            .lines(TopState(), .init(width: 100, height: 50), trouble: nil)
        #expect(lines.contains { $0.text.hasPrefix("fleet     connected  peers 2  lag 0 s") })
    }

    @Test(arguments: [
        ("true", 0, 0, "fleet     connected  lag 0 s  outbox 0  gaps 1  position 17-3", false),
        ("false", 61, 2, "fleet     Redis is away  lag 1 min 1 s  outbox 2  gaps 1  position 17-3", true),
        ("true", 61, 0, "fleet     connected  lag 1 min 1 s  outbox 0  gaps 1  position 17-3", true),
    ])
    func `in a fleet a line tells how far its news has come`(
        isConnected: String, lag: Int, outbox: Int, words: String, isBad: Bool
    ) throws {
        let fleet =
            #""fleet":{"is_connected":\#(isConnected),"lag_seconds":\#(lag),"position":"17-3","#
            + #""outbox":\#(outbox),"sent":4,"received":5,"gaps":1},"#
        for height in [15, 50] {
            let lines = try frame(Moments.json(fleet: fleet))
                .lines(TopState(), .init(width: 100, height: height), trouble: nil)
            let line = try #require(lines.first { $0.text.hasPrefix("fleet ") })
            #expect(line.text == words)
            #expect(line.rendered(.colours).contains("\u{1B}[31m") == isBad)
        }
        let alone = try frame().lines(TopState(), .init(width: 100, height: 50), trouble: nil)
        #expect(!alone.contains { $0.text.hasPrefix("fleet ") })
    }

    @Test func `the chosen row is in sight, wherever it stands`() throws {
        let moment = try #require(ControlJSON.read(DaemonMoment.self, from: Moments.json().utf8))
        let names = TopPanel.origins.rows(moment, sort: 0).map(\.name)
        var state = TopState()
        for name in names {
            let lines = try frame().lines(state, .init(width: 60, height: 15), trouble: nil)
            let chosen = lines.filter { $0.rendered(.plain).contains("\u{1B}[7m") }
            #expect(chosen.contains { $0.text.hasSuffix("  \(name)") }, "\(name)")
            _ = state.press(.down, names: names)
        }
    }

    @Test func `what strangers wrote moves nothing, and colours come with ink alone`() throws {
        let hostile = #"/\u001b[2J\u009b31m\u202e\u0007\r\n\u200bx"#
        let frame = try frame(Moments.json(target: hostile))
        var state = TopState()
        _ = state.press(.nextPanel, names: [])
        for ink in [TopLine.Ink.none, .plain, .colours] {
            let lines = frame.lines(state, .init(width: 200, height: 40), trouble: hostile)
            let text = lines.map { $0.rendered(ink) }.joined(separator: "\n")
            let bare = text.replacing(/\u{1B}\[(1|2|7|31|32|0)m/, with: "")
            #expect(!bare.unicodeScalars.contains { $0.properties.generalCategory == .format })
            #expect(
                !bare.unicodeScalars.contains { $0.value != 10 && $0.properties.generalCategory == .control })
            #expect(bare.contains(#"\u001b[2J"#))
            if ink == .none { #expect(bare == text) }
            if ink == .plain { #expect(!text.contains(/\u{1B}\[(2|31|32)m/)) }
            if ink == .colours { #expect(text.contains("\u{1B}[31m")) }
        }
    }

    @Test func `trouble stands in the last line, and one view has all lists`() throws {
        let lines = try frame().lines(TopState(), .init(width: 60, height: 15), trouble: "No answer")
        #expect(lines.last?.text == "No answer")
        let all = try frame().all(width: 120).map(\.text).joined(separator: "\n")
        for words in ["ORIGINS", "https://o30.test", "TARGETS", "/img?url=b", "ERRORS", "origin_timeout"] {
            #expect(all.contains(words), "\(words)")
        }
    }

    @Test func `what is no moment is none`() {
        for text in ["", "{}", "[]", String(repeating: "[", count: 600)] {
            #expect(ControlJSON.read(DaemonMoment.self, from: text.utf8) == nil)
        }
    }

    @Test func `a percentile is interpolated in its bucket, of what came since`() throws {
        let stages = Self.stages
        #expect(stages.percentile(0.25, "decode") == 5_000 && stages.percentile(0.5, "decode") == 10_000)
        #expect(try abs(#require(stages.percentile(0.7, "decode")) - 15_000) < 1)
        #expect(stages.percentile(1, "decode") == 20_000, "the last bound that is one")
        #expect(stages.percentile(0.5, "encode") == nil && stages.count("decode") == 100)
        #expect(stages.since(stages).count("decode") == 0)
        #expect(StageHistograms(page: "").since(stages) == StageHistograms(page: ""))
        let whole = StageHistograms(
            page: """
                pictor_request_seconds_bucket{outcome="stale",le="0.01"} 3
                pictor_request_seconds_bucket{outcome="stale",le="+Inf"} 4
                pictor_request_seconds_bucket{outcome="rendered",le="0.01"} 1
                pictor_request_seconds_bucket{outcome="rendered",le="+Inf"} 1
                """)
        #expect(whole.count("total") == 5 && whole.percentile(0.4, "total") == 5_000)
        let restarted = StageHistograms(page: #"pictor_stage_seconds_bucket{stage="decode",le="+Inf"} 1"#)
        #expect(restarted.since(stages).count("decode") == 1)
    }
}
