// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
package import HTTPServer
package import Pipeline
package import RequestGrammar
package import Telemetry

/// A number that carries facts about an answer through the server to the log and the metrics: the outcome in the lowest four bits,
/// the dialect in the next four, and the code of a refusal above.
package struct AnswerTag: Sendable, Hashable {
    /// The bits of the outcome, the dialect and the error code.
    package let bits: UInt16

    /// Accepts any bits; unknown ones read as none.
    package init(_ bits: UInt16) { self.bits = bits }

    /// Nil if the request did not reach the pipeline.
    package var outcome: Outcome? { Outcome(tag: bits & 0x0F) }

    /// The same tag, with another outcome.
    func telling(_ outcome: Outcome) -> AnswerTag { AnswerTag(bits & ~0x0F | outcome.tag) }

    /// The request's dialect; `other` if the request was in none.
    package var dialect: DialectLabel { DialectLabel(number: Int(bits >> 4 & 0x0F)) }

    /// The index of a refusal's code in `ErrorCode.all`; nil if the answer is no refusal.
    package var errorIndex: Int? { bits >> 8 == 0 ? nil : Int(bits >> 8) - 1 }

    /// The stable code of a refusal; nil if the answer is no refusal.
    package var error: String? { ErrorCode.code(numbered: UInt8(truncatingIfNeeded: bits >> 8)) }
}

extension ErrorResponse {
    /// The uppermost bits of a tag.
    var tag: UInt16 { UInt16(truncatingIfNeeded: ErrorCode.number(of: code)) << 8 }
}

extension Outcome {
    /// The lowest bits of a tag; 0 stands for no outcome.
    // Cannot trap: there are eleven outcomes.
    package var tag: UInt16 { UInt16(Self.allCases.firstIndex(of: self) ?? 0) + 1 }

    /// Nil for 0 and unknown numbers.
    package init?(tag: UInt16) {
        guard tag > 0, Int(tag) <= Self.allCases.count else { return nil }
        self = Self.allCases[Int(tag) - 1]
    }
}

extension DialectName {
    /// The middle bits of a tag; 0 stands for no dialect.
    // Cannot trap: there are fewer than 15 dialects.
    package var tag: UInt16 { UInt16(DialectLabel(self).index) << 4 }
}

extension Response {
    /// The response, marked as one without a picture; a refusal stays marked as a refusal.
    package var synthetic: Response {
        var response = self
        let tag = AnswerTag(tag)
        if tag.outcome == nil, tag.error == nil { response.tag |= Outcome.synthetic.tag }
        return response
    }

    /// The response, marked as an answer in this dialect.
    package func asked(at dialect: DialectName) -> Response {
        var response = self
        response.tag = tag & ~0xF0 | dialect.tag
        if dialect == .next, status == 200 || status == 206,
            let word = AnswerTag(tag).outcome.flatMap(NextCacheWord.of)
        {
            response.fields.append(NextCacheWord.field, word)
        }
        return response
    }
}
