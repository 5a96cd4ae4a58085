// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import Traces
import Tracing

struct RequestTracerTests {
    private let bench = TracerBench()
    private static let parent = TracePlace(
        traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "rojo=1")

    @Test func `a kept trace has each span below its parent, with its times`() async throws {
        let tracer = bench.tracer { $0.ratio = 1 }
        let span = tracer.begin("GET")
        await InstrumentationContext.$current.withValue(span.context) {
            await traced("outer") { outer in
                bench.pass(5)
                outer?.note("count", 3)
                await traced("inner", ofKind: .client) { _ in bench.pass(7) }
            }
        }
        bench.pass(1)
        let place = try #require(tracer.finish(span, status: 200, microseconds: 13))
        let spans = Dictionary(uniqueKeysWithValues: bench.spans.map { ($0.name, $0) })
        let root = try #require(spans["GET"])
        let outer = try #require(spans["outer"])
        let inner = try #require(spans["inner"])
        #expect(root.parent == nil && root.kind == .server)
        #expect(outer.parent == root.place.span && outer.kind == .internal)
        #expect(inner.parent == outer.place.span && inner.kind == .client)
        #expect(Set(spans.values.map(\.place.trace)) == [place.trace] && place == root.place)
        #expect(Set(spans.values.map(\.place.span)).count == 3)
        let lengths = [root, outer, inner].map { $0.end - $0.start }
        #expect(lengths == [13_000, 12_000, 7_000])
        #expect(outer.attributes["count"]?.toSpanAttribute() == .int64(3))
    }

    @Test func `what fails is marked and thrown on`() async {
        struct Broken: Error {}
        let tracer = bench.tracer { $0.ratio = 1 }
        let span = tracer.begin("GET")
        await InstrumentationContext.$current.withValue(span.context) {
            await #expect(throws: Broken.self) {
                try await traced("work") { _ throws(Broken) in throw Broken() }
            }
        }
        tracer.finish(span, status: 502, microseconds: 1)
        #expect(bench.names == ["work", "GET"])
        #expect(bench.spans.allSatisfy { $0.status?.code == .error })
    }

    @Test func `without a trace the work is done just so`() async {
        #expect(await traced("work") { span in span == nil ? 1 : 2 } == 1)
        #expect(bench.names.isEmpty)
    }

    @Test(
        arguments: [
            (200, 10, []), (404, 10, []), (200, 1_000_000, ["GET"]), (200, 999_999, []),
            (500, 10, ["GET"]), (502, 10, ["GET"]),
        ] as [(Int, Int, [String])])
    func `slow ones and failed ones are kept`(status: Int, microseconds: Int, kept: [String]) {
        let tracer = bench.tracer { ($0.ratio, $0.slow) = (0, 1_000_000) }
        let trace = tracer.finish(tracer.begin("GET"), status: status, microseconds: microseconds)
        #expect(bench.names == kept)
        #expect((trace != nil) == !kept.isEmpty)
        let instant = tracer.instant("GET", status: status, microseconds: microseconds)
        #expect((instant != nil) == !kept.isEmpty)
    }

    @Test func `a rule can keep neither`() {
        let tracer = bench.tracer { ($0.ratio, $0.slow, $0.keepsFailed) = (0, nil, false) }
        #expect(tracer.finish(tracer.begin("GET"), status: 503, microseconds: .max) == nil)
        #expect(bench.names.isEmpty)
    }

    @Test func `a client's trace goes on where the rule takes it`() throws {
        let tracer = bench.tracer { $0.takesParent = true }
        let parent = try #require(Self.parent)
        let kept = tracer.finish(tracer.begin("GET", parent: parent), status: 200, microseconds: 1)
        #expect(kept?.trace == parent.trace)
        let span = try #require(bench.spans.first)
        #expect(span.parent == parent.span && span.isParentRemote)
        #expect(span.place.state == "rojo=1" && span.place.isSampled)
    }

    @Test func `a client that does not keep its trace is heeded too`() throws {
        let tracer = bench.tracer { ($0.takesParent, $0.ratio) = (true, 1) }
        let parent = try #require(
            TracePlace(traceparent: String((Self.parent?.traceparent ?? "").dropLast()) + "0"))
        #expect(tracer.finish(tracer.begin("GET", parent: parent), status: 200, microseconds: 1) == nil)
    }

    @Test func `nobody outside chooses a trace where the rule does not take it`() throws {
        let tracer = bench.tracer { $0.ratio = 0 }
        let span = tracer.begin("GET", parent: Self.parent)
        #expect(span.place.trace != Self.parent?.trace && !span.place.isSampled && span.place.state.isEmpty)
        #expect(tracer.finish(span, status: 200, microseconds: 1) == nil)
    }

    @Test(arguments: [0, 0.01, 0.5, 1]) func `the share of kept traces is the ratio`(ratio: Double) {
        let tracer = bench.tracer { $0.ratio = ratio }
        var kept = 0
        for _ in 0..<20_000 where tracer.instant("GET", status: 200, microseconds: 1) != nil { kept += 1 }
        #expect(abs(Double(kept) / 20_000 - ratio) <= 0.02 * ratio.squareRoot())
    }

    @Test func `a share is the traces whose last bits are the highest, as other services choose it`() {
        let tracer = bench.tracer { $0.ratio = 0.25 }
        for _ in 0..<1_000 {
            let span = tracer.begin("GET")
            // The last quarter of the range of 56 bits.
            let isChosen = span.place.trace.text.suffix(14) >= "c0000000000000"
            #expect((tracer.finish(span, status: 200, microseconds: 1) != nil) == isChosen)
        }
    }

    @Test func `a trace has a bounded number of spans, and the request's own among them`() {
        let tracer = bench.tracer { $0.ratio = 1 }
        let span = tracer.begin("GET")
        for _ in 0..<1_000 { span.record("cache", from: span.now, microseconds: 1) }
        tracer.finish(span, status: 200, microseconds: 1)
        #expect(bench.names.count == 65 && bench.names.last == "GET")
    }

    @Test func `of a long text a span has the beginning`() {
        let tracer = bench.tracer { $0.ratio = 1 }
        let span = tracer.begin("GET")
        span.note("url.path", "/img")
        span.note("url.query", String(repeating: "x", count: 60_000))
        tracer.finish(span, status: 200, microseconds: 1)
        let attributes = bench.spans.first?.attributes
        #expect(attributes?["url.path"]?.toSpanAttribute() == .string("/img"))
        #expect(
            attributes?["url.query"]?.toSpanAttribute()
                == .string(String(repeating: "x", count: 2_048) + "…"))
    }

    @Test func `what ends after the verdict goes the same way`() {
        for ratio in [0.0, 1] {
            let tracer = bench.tracer { $0.ratio = ratio }
            let span = tracer.begin("GET")
            let late = span.child("refresh")
            tracer.finish(span, status: 200, microseconds: 1)
            late.end()
        }
        #expect(bench.names == ["GET", "refresh"])
    }

    @Test func `a span ends once`() {
        let tracer = bench.tracer { $0.ratio = 1 }
        let span = tracer.begin("GET")
        tracer.finish(span, status: 200, microseconds: 1)
        tracer.finish(span, status: 200, microseconds: 1)
        span.end()
        #expect(bench.names == ["GET"])
    }

    @Test func `names are never equal`() {
        let tracer = bench.tracer { $0.ratio = 1 }
        let places = (0..<10_000).map { _ in tracer.begin("GET").place }
        #expect(Set(places.map(\.span)).count == 10_000)
        #expect(Set(places.map(\.trace)).count == 10_000)
    }

    @Test func `other libraries' spans join the request's`() {
        let tracer = bench.tracer { $0.ratio = 1 }
        let span = tracer.begin("GET")
        let other = tracer.startSpan("query", context: span.context, ofKind: .client)
        other.attributes["db.system"] = "redis"
        other.recordError(CancellationError())
        other.addLink(SpanLink(context: span.context, attributes: [:]))
        other.end()
        tracer.finish(span, status: 200, microseconds: 1)
        let kept = bench.spans.first
        #expect(kept?.parent == span.place.span)
        #expect(kept?.events.first?.name == "exception" && kept?.links == [span.place])
        var fields: [String: String] = [:]
        tracer.inject(span.context, into: &fields, using: DictionaryInjector())
        #expect(fields == ["traceparent": span.place.traceparent])
    }
}

private struct DictionaryInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
        carrier[key] = value
    }
}
