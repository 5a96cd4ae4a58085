// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
package import Pipeline
package import RequestGrammar
package import Telemetry

/// One byte that travels with an answer through the server to the log and the metrics: the outcome in its
/// lower half, the dialect in its upper half.
package struct AnswerTag: Sendable, Hashable {
    /// An outcome's tag and a dialect's.
    package let byte: UInt8

    /// Accepts any byte; unknown halves read as none.
    package init(_ byte: UInt8) { self.byte = byte }

    /// Nil if the request did not reach the pipeline.
    package var outcome: Outcome? { Outcome(tag: byte & 0x0F) }

    /// `other` if the request was in no dialect.
    package var dialect: DialectLabel { DialectLabel(number: Int(byte >> 4)) }
}

extension Outcome {
    /// The lower half of a tag; 0 stands for no outcome.
    // Cannot trap: there are nine outcomes.
    package var tag: UInt8 { UInt8(Self.allCases.firstIndex(of: self) ?? 0) + 1 }

    /// Nil for 0 and unknown numbers.
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
    /// The response, marked as an answer in this dialect.
    package func asked(at dialect: DialectName) -> Response {
        var response = self
        response.tag = tag & 0x0F | dialect.tag
        return response
    }
}
