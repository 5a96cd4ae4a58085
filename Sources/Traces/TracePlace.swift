// SPDX-License-Identifier: Apache-2.0

/// A span's place in a trace that may go through several services, as it travels with requests (W3C Trace Context).
package struct TracePlace: Sendable, Hashable {
    /// The trace.
    package let trace: TraceID
    /// The span that the next one is a child of.
    package let span: SpanID
    /// Whether its service keeps the trace for certain.
    package let isSampled: Bool
    /// The field that tracing systems add for themselves (`tracestate`), passed on as it came; may be empty.
    package let state: String

    init(trace: TraceID, span: SpanID, isSampled: Bool, state: String = "") {
        (self.trace, self.span, self.isSampled, self.state) = (trace, span, isSampled, state)
    }

    /// Reads `traceparent` (§3.2); nil if it is malformed. A malformed `tracestate` counts as none (§3.3.1.4).
    package init?(traceparent: String, tracestate: String = "") {
        let bytes = Array(traceparent.utf8)
        guard bytes.count >= Self.length, bytes[2] == Self.dash, bytes[35] == Self.dash,
            bytes[52] == Self.dash,
            let version = Hexadecimal.number(bytes[0..<2]), version != 0xFF,
            let high = Hexadecimal.number(bytes[3..<19]), let low = Hexadecimal.number(bytes[19..<35]),
            let parent = Hexadecimal.number(bytes[36..<52]), let flags = Hexadecimal.number(bytes[53..<55]),
            let trace = TraceID(high: high, low: low), let span = SpanID(parent)
        else { return nil }
        // Later versions may append fields.
        guard bytes.count == Self.length || version > 0 && bytes[Self.length] == Self.dash else { return nil }
        self.init(
            trace: trace, span: span, isSampled: flags & 1 == 1,
            state: Self.isValid(state: tracestate) ? tracestate : "")
    }

    /// The field's value, of version 00.
    package var traceparent: String { "00-\(trace.text)-\(span.text)-\(isSampled ? "01" : "00")" }

    private static let length = 55
    private static let dash = UInt8(ascii: "-")

    /// A list of at most 32 members `key=value` in at most 512 bytes (§3.3.1).
    private static func isValid(state: String) -> Bool {
        guard !state.isEmpty, state.utf8.count <= 512, state.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return false }
        let members = state.split(separator: ",", omittingEmptySubsequences: true)
        return members.count <= 32
            && members.allSatisfy { member in
                let member = member.drop { $0 == " " }
                guard member.contains(where: { $0 != " " }) else { return true }
                guard let end = member.firstIndex(of: "=") else { return false }
                let key = member[..<end].utf8
                return !key.isEmpty && key.count <= 256 && key.allSatisfy(isKey)
                    && member[end...].utf8.count > 1
            }
    }

    private static func isKey(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A: true
        default: "_-*/@".utf8.contains(byte)
        }
    }
}
