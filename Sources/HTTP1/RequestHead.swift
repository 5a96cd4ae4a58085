// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// A run of bytes in a request's head, counted from the head's first byte.
package struct ByteRun: Sendable, Hashable {
    package var start: UInt16 = 0
    package var count: UInt16 = 0

    package init() {}

    init(_ start: Int, _ end: Int) {
        self.start = UInt16(truncatingIfNeeded: start)
        self.count = UInt16(truncatingIfNeeded: end - start)
    }

    package var end: Int { Int(start) + Int(count) }

    /// The bytes it means, in the buffer that was parsed.
    @inline(__always)
    package func slice(of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[Int(start)..<end])
    }
}

/// The methods that are told apart before a handler looks; the others keep their spelling in the head.
package enum Method: UInt8, Sendable {
    case get, head, options, other
}

/// RFC 9112 §3.2. The authority form belongs to CONNECT alone, which is refused.
package enum TargetForm: UInt8, Sendable {
    case origin, absolute, asterisk
}

/// How long the body is (RFC 9112 §6.3).
package enum Framing: Sendable, Hashable {
    case none
    /// Bytes, at least 1.
    case length(Int)
    case chunked
}

/// What one pass over a request's head found: numbers and byte ranges, no reference, nothing copied.
package struct RequestHead: Sendable {
    /// Bytes of the head, empty lines before and after included.
    package internal(set) var length = 0
    package internal(set) var method = Method.other
    package internal(set) var methodRange = ByteRun()
    package internal(set) var form = TargetForm.origin
    /// Path and query. In the absolute form what follows the authority, which may be empty and then means "/".
    package internal(set) var targetRange = ByteRun()
    /// 0 or 1: the only major version here is 1.
    package internal(set) var minorVersion: UInt8 = 1
    package internal(set) var framing = Framing.none
    /// `Expect: 100-continue` from a client that understands it (RFC 9110 §10.1.1).
    package internal(set) var expectsContinue = false
    /// The host that was asked for: the absolute form's authority, else the `Host` field (RFC 9112 §3.2.2).
    package internal(set) var authorityRange = ByteRun()

    var fieldsStart = 0
    var fieldCount = 0
    var saysClose = false
    var saysKeepAlive = false
    private var present: UInt32 = 0
    private var repeated: UInt32 = 0
    /// As many as there are known fields.
    private var values = InlineArray<18, ByteRun>(repeating: ByteRun())

    package init() {}

    /// Whether the client lets the connection live on after this exchange (RFC 9112 §9.3).
    package var keepsAlive: Bool { !saysClose && (minorVersion == 1 || saysKeepAlive) }

    package func has(_ field: KnownField) -> Bool { present & mask(field) != 0 }

    /// Came on more than one line: its value is then the list of all lines, of which `value` gives the first.
    package func isRepeated(_ field: KnownField) -> Bool { repeated & mask(field) != 0 }

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

    // Cannot trap: 8 bits into 32; a shift does not trap.
    private func mask(_ field: KnownField) -> UInt32 { 1 << UInt32(field.rawValue) }

    /// Every field line in order: its name, and its value without white space around it. `bytes` begin with the head.
    package func forEachField(
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
