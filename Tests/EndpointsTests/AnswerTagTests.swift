// SPDX-License-Identifier: Apache-2.0

@testable import Answers
import Dialects
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
        for dialect in DialectName.allCases {
            for outcome in Outcome.allCases {
                let tag = AnswerTag(outcome.tag | dialect.tag)
                #expect(seen.insert(tag.byte).inserted)
                #expect(tag.outcome == outcome && tag.dialect == DialectLabel(dialect))
            }
        }
    }

    @Test func `an answer that no dialect has read has an outcome alone`() {
        for outcome in Outcome.allCases {
            let tag = AnswerTag(outcome.tag)
            #expect(tag.outcome == outcome && tag.dialect == DialectLabel(nil))
        }
        #expect(AnswerTag(0).outcome == nil && AnswerTag(0).dialect == DialectLabel(nil))
    }

    @Test func `no byte ends anything`() {
        for byte in UInt8.min...UInt8.max {
            let tag = AnswerTag(byte)
            #expect((0..<DialectLabel.count).contains(tag.dialect.index))
            #expect(tag.outcome.map { Outcome.allCases.contains($0) } ?? true)
        }
    }

    @Test func `a response that is read by a dialect keeps its outcome`() {
        let response = Response(status: 404, tag: Outcome.negative.tag)
        let told = response.asked(at: .weserv).asked(at: .next)
        #expect(
            AnswerTag(told.tag).outcome == .negative && AnswerTag(told.tag).dialect == DialectLabel(.next))
    }

    @Test func `a refusal that a dialect tells is the dialect's`() throws {
        let dialects = try Dialects(Settings())
        let signatures = try Settings().signatureRule
        for name in DialectName.allCases {
            let dialect = dialects[name]
            let target = RequestTarget(path: dialect.path, query: Array("url=a.com".utf8))
            let admission = try dialect.admit(target, signatures, now: Timestamp(seconds: 0))
            let response = dialects.response(
                to: Refusal(.notFound), of: nil, at: dialect, admission, now: Timestamp(seconds: 0))
            let tag = AnswerTag(ReadyAnswer(response).tag)
            #expect(tag.dialect == DialectLabel(name) && tag.outcome == .refused)
        }
    }

    @Test func `metrics have the words of the settings`() {
        #expect(DialectName.allCases.map { DialectLabel($0).value } == DialectName.allCases.map(\.rawValue))
    }
}
