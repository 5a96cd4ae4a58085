// SPDX-License-Identifier: Apache-2.0

/// A collector's answer to a batch that it has accepted (`ExportTraceServiceResponse`). It may have rejected spans, which must
/// not be sent again (opentelemetry.io/docs/specs/otlp, "Partial Success").
package struct ExportAnswer: Sendable, Equatable {
    /// The number of spans that the collector rejected.
    package private(set) var rejected = 0
    /// The collector's reason; may be empty.
    package private(set) var words = ""

    /// The most bytes of the reason that are kept.
    private static let longestWords = 256

    /// Reads the message. A malformed or empty message means that every span was accepted.
    package init(_ bytes: [UInt8]) {
        var fields = ProtobufFields(bytes[...])
        while let (field, value) = fields.next() {
            if field == 1, case .bytes(let partialSuccess) = value { read(partialSuccess) }
        }
    }

    private mutating func read(_ partialSuccess: ArraySlice<UInt8>) {
        var fields = ProtobufFields(partialSuccess)
        while let (field, value) = fields.next() {
            switch (field, value) {
            case (1, .number(let number)): rejected = max(Int(clamping: Int64(bitPattern: number)), 0)
            case (2, .bytes(let text)):
                words = String(decoding: text.prefix(Self.longestWords), as: UTF8.self)
            default: break
            }
        }
    }
}
