// SPDX-License-Identifier: Apache-2.0

/// What a collector says of a batch that it has taken (`ExportTraceServiceResponse`): it may have left spans out, which are
/// not to be sent again (opentelemetry.io/docs/specs/otlp, "Partial Success").
package struct ExportAnswer: Sendable, Equatable {
    /// Spans that it left out.
    package private(set) var rejected = 0
    /// Why, in its words; may be empty.
    package private(set) var words = ""

    /// Bytes of its words.
    private static let longestWords = 256

    /// Reads the message. One that is malformed, or none, says no more than that all was taken.
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
