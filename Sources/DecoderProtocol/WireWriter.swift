// SPDX-License-Identifier: Apache-2.0

/// Composes one message.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    init(_ kind: Wire.Kind) {
        bytes.reserveCapacity(256)
        put(Wire.version)
        put(kind.rawValue)
    }

    mutating func put(_ value: some FixedWidthInteger & UnsignedInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    // Cannot trap: the value is 0 or 1.
    mutating func put(_ value: Bool) { put(UInt8(value ? 1 : 0)) }

    /// A count, a size or a code. A negative number is written as 0.
    mutating func put<Width: FixedWidthInteger & UnsignedInteger>(_ value: Int, as _: Width.Type) {
        put(Width(clamping: value))
    }

    /// Writes at most `limit` bytes; longer text is cut at the beginning of a character.
    mutating func put(_ text: String, limit: Int) {
        let utf8 = Array(text.utf8.prefix(limit + 1))
        var end = utf8.count
        // A byte 10xxxxxx continues a character (RFC 3629 §3).
        if end > limit { repeat { end -= 1 } while end > 0 && utf8[end] & 0b1100_0000 == 0b1000_0000 }
        // Cannot trap: no limit exceeds a message's length of 4,608 bytes.
        put(UInt16(end))
        bytes.append(contentsOf: utf8.prefix(end))
    }
}
