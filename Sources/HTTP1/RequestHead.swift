// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// A run of bytes in a request's head, counted from the head's first byte.
package struct ByteRun: Sendable, Hashable {
    /// Bytes from the head's first byte.
    package var start: UInt16 = 0
    /// Bytes.
    package var count: UInt16 = 0

    /// An empty run at the start.
    package init() {}

    init(_ start: Int, _ end: Int) {
        self.start = UInt16(truncatingIfNeeded: start)
        self.count = UInt16(truncatingIfNeeded: end - start)
    }

    /// The index after the last byte.
    package var end: Int { Int(start) + Int(count) }

    /// The bytes of the run, in the buffer that was parsed.
    @inline(__always)
    package func slice(of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[Int(start)..<end])
    }
}

/// Methods that the parser tells apart; `other` keeps its spelling in `methodRange`.
package enum Method: UInt8, Sendable {
    case get, head, options, other
}

/// Forms of a request target (RFC 9112 §3.2). The authority form belongs to CONNECT alone, which is refused.
package enum TargetForm: UInt8, Sendable {
    case origin, absolute, asterisk
}

/// The framing of the body (RFC 9112 §6.3).
package enum Framing: Sendable, Hashable {
    case none
    /// Bytes, at least 1.
    case length(Int)
    case chunked
}

/// A parsed request head: numbers and byte ranges, without references or copies.
package struct RequestHead: Sendable {
    /// Bytes of the head, empty lines before and after included.
    package internal(set) var length = 0
    /// The method; `other` for methods that the parser does not distinguish.
    package internal(set) var method = Method.other
    /// The method's spelling.
    package internal(set) var methodRange = ByteRun()
    /// The form of the received target.
    package internal(set) var form = TargetForm.origin
    /// Path and query. In the absolute form, the part after the authority; if that is empty, it means "/", or "*" for OPTIONS.
    package internal(set) var targetRange = ByteRun()
    /// The minor version, 0 or 1; the major version is always 1, and higher minor versions count as 1.
    package internal(set) var minorVersion: UInt8 = 1
    /// Where the body ends.
    package internal(set) var framing = Framing.none
    /// True for `Expect: 100-continue` from a client that understands it (RFC 9110 §10.1.1).
    package internal(set) var expectsContinue = false
    /// The requested host: the authority of the absolute form, else the `Host` field (RFC 9112 §3.2.2).
    package internal(set) var authorityRange = ByteRun()

    var fieldsStart = 0
    var fieldCount = 0
    var saysClose = false
    var saysKeepAlive = false
    private var present: UInt32 = 0
    private var repeated: UInt32 = 0
    /// One run for each known field.
    private var values = InlineArray<27, ByteRun>(repeating: ByteRun())

    /// An empty head, for a parser to fill in.
    package init() {}

    /// True if the client wants the connection kept after this exchange (RFC 9112 §9.3).
    package var keepsAlive: Bool { !saysClose && (minorVersion == 1 || saysKeepAlive) }

    /// True if the head has a line of this field.
    package func has(_ field: KnownField) -> Bool { present & mask(field) != 0 }

    /// True if the field came on several lines: its value is the list of all of them, and `value` gives the
    /// first.
    package func isRepeated(_ field: KnownField) -> Bool { repeated & mask(field) != 0 }

    /// The value of the field's first line, without white space around it; nil without such a line.
    package func value(_ field: KnownField) -> ByteRun? {
        has(field) ? values[Int(field.rawValue)] : nil
    }

    mutating func note(_ field: KnownField, _ value: ByteRun) {
        if has(field) {
            repeated |= mask(field)
        } else {
            present |= mask(field)
            values[Int(field.rawValue)] = value
        }
    }

    // Cannot trap: widens 8 bits to 32, and a shift does not trap.
    private func mask(_ field: KnownField) -> UInt32 { 1 << UInt32(field.rawValue) }

    /// Calls `body` for every field line in order, with its name and its value without white space around it.
    /// `bytes` begin with the head.
    func forEachField(
        of bytes: UnsafeRawBufferPointer,
        _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) {
        var start = fieldsStart
        while start < length - 2 {
            // The parser has seen a CRLF at the end of this line and a colon in it.
            guard let stop = bytes[start...].firstIndex(of: Byte.carriageReturn),
                let colon = bytes[start..<stop].firstIndex(of: UInt8(ascii: ":"))
            else { return }
            let value = UnsafeRawBufferPointer(rebasing: bytes[(colon + 1)..<stop])
            body(UnsafeRawBufferPointer(rebasing: bytes[start..<colon]), value.trimmed)
            start = stop + 2
        }
    }
}
