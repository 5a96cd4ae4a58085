// SPDX-License-Identifier: Apache-2.0

/// The ID of a trace and of a span in it, as requests pass them between services (W3C Trace Context).
package struct TracePlace: Sendable, Hashable {
    /// The trace.
    package let trace: TraceID
    /// The span that becomes the parent of the next one.
    package let span: SpanID
    /// Whether the service of the span has decided to keep the trace.
    package let isSampled: Bool
    /// The value of `tracestate`, whose members tracing systems add for themselves. It is passed on unchanged; may be empty.
    package let state: String

    init(trace: TraceID, span: SpanID, isSampled: Bool, state: String = "") {
        (self.trace, self.span, self.isSampled, self.state) = (trace, span, isSampled, state)
    }

    /// Reads `traceparent` (§3.2); nil if it is malformed. A malformed `tracestate` counts as empty (§3.3.1.4).
    package init?(traceparent: String, tracestate: String = "") {
        let bytes = Array(traceparent.utf8)
        guard bytes.count >= Self.length, bytes[2] == Self.dash, bytes[35] == Self.dash,
            bytes[52] == Self.dash,
            let version = Hexadecimal.number(bytes[0..<2]), version != 0xFF,
            let high = Hexadecimal.number(bytes[3..<19]), let low = Hexadecimal.number(bytes[19..<35]),
            let parent = Hexadecimal.number(bytes[36..<52]), let flags = Hexadecimal.number(bytes[53..<55]),
            let trace = TraceID(high: high, low: low), let span = SpanID(parent)
        else { return nil }
        // Later versions may append fields after another dash.
        guard bytes.count == Self.length || version > 0 && bytes[Self.length] == Self.dash else { return nil }
        self.init(trace: trace, span: span, isSampled: flags & 1 == 1, state: Self.members(of: tracestate))
    }

    /// The value of the field `traceparent`, in version 00.
    package var traceparent: String { "00-\(trace.text)-\(span.text)-\(isSampled ? "01" : "00")" }

    private static let length = 55
    private static let dash = UInt8(ascii: "-")

    /// The members `key=value` of a list without the white space beside them (§3.3.1); empty if a member is malformed, or if
    /// there are more than 32 members or 512 bytes.
    private static func members(of state: String) -> String {
        guard state.utf8.count <= 512 else { return "" }
        let members = Array(state.utf8).split(separator: UInt8(ascii: ",")).map(trimmed).filter {
            !$0.isEmpty
        }
        guard members.count <= 32, members.allSatisfy(isMember) else { return "" }
        return String(decoding: Array(members.joined(separator: [UInt8(ascii: ",")])), as: UTF8.self)
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { _ = text.popLast() }
        return text
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func isMember(_ member: ArraySlice<UInt8>) -> Bool {
        let key = member.prefix { $0 != UInt8(ascii: "=") }
        let value = member.dropFirst(key.count + 1)
        return key.first.map(isAlphanumeric) == true && key.count <= 256 && key.allSatisfy(isKey)
            && !value.isEmpty
            && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func isKey(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || "_-*/@".utf8.contains(byte) }
}
