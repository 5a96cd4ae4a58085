// SPDX-License-Identifier: Apache-2.0

@testable import Answers
@testable import Endpoints
import HTTPSemantics
import HTTPServer
import Pipeline
@testable import RequestGrammar
@testable import Settings
import Signatures
import Telemetry
import Testing

@Suite("One byte tells of an answer how it came about and in which dialect it was asked for")
struct AnswerTagTests {
    @Test func `every outcome at every door has its own byte, and is read of it`() {
        var seen: Set<UInt8> = [0]
        for door in Door.allCases {
            for outcome in Outcome.allCases {
                let tag = AnswerTag(outcome.tag | door.tag)
                #expect(seen.insert(tag.byte).inserted)
                #expect(tag.outcome == outcome && tag.dialect == door.dialect)
            }
        }
    }

    @Test func `an answer that no dialect has read has an outcome alone`() {
        for outcome in Outcome.allCases {
            let tag = AnswerTag(outcome.tag)
            #expect(tag.outcome == outcome && tag.dialect == .other)
        }
        #expect(AnswerTag(0).outcome == nil && AnswerTag(0).dialect == .other)
    }

    @Test func `no byte ends anything`() {
        for byte in UInt8.min...UInt8.max {
            let tag = AnswerTag(byte)
            #expect(DialectLabel.allCases.contains(tag.dialect))
            #expect(tag.outcome.map { Outcome.allCases.contains($0) } ?? true)
        }
    }

    @Test func `a response that is read by a door keeps its outcome`() {
        let response = Response(status: 404, tag: Outcome.negative.tag)
        let told = response.asked(at: .weserv).asked(at: .next)
        #expect(AnswerTag(told.tag).outcome == .negative && AnswerTag(told.tag).dialect == .next)
    }

    @Test func `a refusal that a door tells is the door's`() throws {
        let rules = try Settings().doorRules
        let signatures = try Settings().signatureRule
        for door in Door.allCases {
            let admission = try signatures.admit(
                Array("url=a.com".utf8), at: door, now: Timestamp(seconds: 0))
            let response = door.response(
                to: Refusal(.notFound), of: nil, admission, rules, now: Timestamp(seconds: 0))
            let tag = AnswerTag(ReadyAnswer(response).tag)
            #expect(tag.dialect == door.dialect && tag.outcome == .refused)
        }
    }

    @Test func `metrics and log have the words of the glossary`() {
        #expect(Door.allCases.map(\.rawValue) == ["native", "weserv", "next"])
        #expect(Door.allCases.map(\.dialect.value) == Door.allCases.map(\.rawValue))
    }
}
