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

@Suite(
    "A tag tells of an answer how it came about, in which dialect it was asked for, and why it is a refusal")
struct AnswerTagTests {
    @Test func `every outcome at every dialect has its own tag, and is read of it`() {
        var seen: Set<UInt16> = [0]
        for dialect in DialectName.allCases {
            for outcome in Outcome.allCases {
                let tag = AnswerTag(outcome.tag | dialect.tag)
                #expect(seen.insert(tag.bits).inserted)
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

    @Test func `no bits end anything`() {
        for bits in UInt16.min...UInt16.max {
            let tag = AnswerTag(bits)
            #expect((0..<DialectLabel.count).contains(tag.dialect.index))
            #expect(tag.outcome.map { Outcome.allCases.contains($0) } ?? true)
        }
    }

    @Test func `each code of a refusal comes back, whatever else the tag says`() {
        #expect(ErrorCode.all.count < 255)
        for entry in ErrorReference.entries {
            let words = RefusalKind.allCases.first { $0.entry.code == entry.code }.map {
                ErrorResponse($0, "")
            }
            let failure = PipelineFailure.Reason.examples.first { $0.row.code == entry.code }
            let refusal = words ?? failure.map { ErrorResponse($0) }
            let response = refusal?.response(tag: Outcome.negative.tag).asked(at: .next)
            let tag = AnswerTag(response?.tag ?? 0)
            #expect(tag.error == entry.code && tag.outcome == .negative)
            #expect(tag.dialect == DialectLabel(.next))
        }
        #expect(AnswerTag(Outcome.rendered.tag).error == nil)
    }

    @Test func `a response that is read by a dialect keeps its outcome`() {
        let response = Response(status: 404, tag: Outcome.negative.tag)
        let told = response.asked(at: .weserv).asked(at: .next)
        #expect(
            AnswerTag(told.tag).outcome == .negative && AnswerTag(told.tag).dialect == DialectLabel(.next))
    }

    @Test func `a refusal that a dialect tells is the dialect's`() throws {
        let dialects = try Dialects(Settings())
        for name in DialectName.allCases {
            let dialect = dialects[name]
            let target = RequestTarget(path: dialect.path, query: Array("url=a.com".utf8))
            let admission = SignatureRule.Admission(ground: .open, target: target, expiry: nil)
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
