// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
package import Pipeline
package import RequestGrammar
package import Telemetry

/// What travels with an answer through the server, to the log and the metrics, in one byte: the outcome in its lower
/// half, the dialect in its upper half.
package struct AnswerTag: Sendable, Hashable {
    package let byte: UInt8

    package init(_ byte: UInt8) { self.byte = byte }

    /// Nil: the request never came as far as the pipeline.
    package var outcome: Outcome? { Outcome(tag: byte & 0x0F) }

    package var dialect: DialectLabel { DialectLabel(number: Int(byte >> 4)) }
}

extension Outcome {
    /// The lower half of a tag; 0 stands for no outcome.
    // Cannot trap: there are nine outcomes.
    package var tag: UInt8 { UInt8(Self.allCases.firstIndex(of: self) ?? 0) + 1 }

    package init?(tag: UInt8) {
        guard tag > 0, Int(tag) <= Self.allCases.count else { return nil }
        self = Self.allCases[Int(tag) - 1]
    }
}

extension DialectName {
    /// The upper half of a tag; 0 stands for no dialect.
    // Cannot trap: there are fewer than 15 dialects.
    package var tag: UInt8 { UInt8(DialectLabel(self).index) << 4 }
}

extension Response {
    /// The same, to a request that came in this endpoint's dialect.
    package func asked(at dialect: DialectName) -> Response {
        var response = self
        response.tag = tag & 0x0F | dialect.tag
        return response
    }
}
