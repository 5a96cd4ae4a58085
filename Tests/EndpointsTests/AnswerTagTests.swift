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
    @Test func `every outcome at every dialect has its own byte, and is read of it`() {
        var seen: Set<UInt8> = [0]
        for dialect in Dialect.allCases {
            for outcome in Outcome.allCases {
                let tag = AnswerTag(outcome.tag | dialect.tag)
                #expect(seen.insert(tag.byte).inserted)
                #expect(tag.outcome == outcome && tag.dialect == dialect.label)
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

    @Test func `a response that is read by a dialect keeps its outcome`() {
        let response = Response(status: 404, tag: Outcome.negative.tag)
        let told = response.asked(at: .weserv).asked(at: .next)
        #expect(AnswerTag(told.tag).outcome == .negative && AnswerTag(told.tag).dialect == .next)
    }

    @Test func `a refusal that a dialect tells is the dialect's`() throws {
        let rules = try Settings().dialectRules
        let signatures = try Settings().signatureRule
        for dialect in Dialect.allCases {
            let admission = try signatures.admit(
                Array("url=a.com".utf8), at: dialect, now: Timestamp(seconds: 0))
            let response = dialect.response(
                to: Refusal(.notFound), of: nil, admission, rules, now: Timestamp(seconds: 0))
            let tag = AnswerTag(ReadyAnswer(response).tag)
            #expect(tag.dialect == dialect.label && tag.outcome == .refused)
        }
    }

    @Test func `metrics and log have the words of the glossary`() {
        #expect(Dialect.allCases.map(\.rawValue) == ["native", "weserv", "next"])
        #expect(Dialect.allCases.map(\.label.value) == Dialect.allCases.map(\.rawValue))
    }
}
