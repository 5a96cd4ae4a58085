// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import TestSupport
import Testing
@testable import Traces
import Tracing

struct ExportRequestTests {
    private static let resource = ExportRequest.Resource(service: "pictor", version: "1.2", instance: "a")

    @Test func `a request is what the schema says`() throws {
        let bench = TracerBench()
        let tracer = bench.tracer { $0.ratio = 1 }
        let begun = tracer.begin("GET")
        begun.note("flag", true)
        begun.note("half", 0.5)
        begun.note("minus", -1)
        begun.note("empty", "")
        begun.link(to: tracer.begin("other").place)
        begun.addEvent("begun")
        tracer.finish(begun, status: 500, microseconds: 1)
        let span = try #require(bench.spans.first)

        let group = try ProtobufReader(ExportRequest([span], from: Self.resource).bytes).message(1)
        let names = try group.message(1).messages(1).map { try $0.text(1) + "=" + $0.message(2).text(1) }
        #expect(names == ["service.name=pictor", "service.version=1.2", "service.instance.id=a"])
        let scope = try group.message(2)
        #expect(try scope.message(1).text(1) == "pictor")
        let read = try scope.message(2)
        #expect(try read.bytes(1).count == 16 && read.bytes(2).count == 8 && read.fields[4] == nil)
        #expect(try read.text(5) == "GET" && read.number(6) == 2)
        #expect(try read.number(7) == span.start && read.number(8) == span.end)
        #expect(try read.messages(9).map { try $0.text(1) }.sorted() == ["empty", "flag", "half", "minus"])
        for attribute in try read.messages(9) {
            let value = try attribute.message(2)
            switch try attribute.text(1) {
            case "flag": #expect(try value.number(2) == 1)
            case "half": #expect(try value.number(4) == 0.5.bitPattern)
            case "minus": #expect(try value.number(3) == UInt64.max)
            default: #expect(try value.text(1) == "")
            }
        }
        #expect(try read.message(11).text(2) == "begun")
        #expect(try read.message(13).bytes(1).count == 16 && read.message(13).number(6) == 1)
        #expect(try read.message(15).number(3) == 2)
        #expect(try read.number(16) == 0x101)
    }

    @Test func `no span makes a request without spans`() throws {
        let request = try ProtobufReader(ExportRequest([], from: Self.resource).bytes)
        #expect(try request.message(1).message(2).fields[2] == nil)
    }

    @Test func `texts and numbers of any size are read as they were written`() throws {
        var random = SeededRandom(for: "protobuf")
        for _ in 0..<200 {
            let bench = TracerBench()
            let tracer = bench.tracer { $0.ratio = 1 }
            let text = String(
                repeating: "é",
                count: Int.random(in: 0...RequestSpan.longestText / 2, using: &random)
                    >> Int.random(in: 0..<11, using: &random))
            let number =
                Int.random(in: .min ... .max, using: &random) >> Int.random(in: 0..<64, using: &random)
            let span = tracer.begin("GET")
            span.note("text", text)
            span.note("number", number)
            tracer.finish(span, status: 200, microseconds: 1)
            let read = try ProtobufReader(ExportRequest(bench.spans, from: Self.resource).bytes)
                .message(1).message(2).message(2)
            for attribute in try read.messages(9) {
                let value = try attribute.message(2)
                if try attribute.text(1) == "text" {
                    #expect(try value.text(1) == text)
                } else {
                    #expect(try value.number(3) == UInt64(bitPattern: Int64(number)))
                }
            }
        }
    }
}
