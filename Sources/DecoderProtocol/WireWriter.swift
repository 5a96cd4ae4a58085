// SPDX-License-Identifier: Apache-2.0

/// Puts one message together.
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

    // Cannot trap: 0 or 1.
    mutating func put(_ value: Bool) { put(UInt8(value ? 1 : 0)) }

    /// A count, a size or a code. A negative number is written as 0.
    mutating func put<Width: FixedWidthInteger & UnsignedInteger>(_ value: Int, as _: Width.Type) {
        put(Width(clamping: value))
    }

    /// At most `limit` bytes; longer text is cut where a character begins.
    mutating func put(_ text: String, limit: Int) {
        let utf8 = Array(text.utf8.prefix(limit + 1))
        var end = utf8.count
        // 10xxxxxx goes on with a character that began earlier (RFC 3629 §3).
        if end > limit { repeat { end -= 1 } while end > 0 && utf8[end] & 0b1100_0000 == 0b1000_0000 }
        // Cannot trap: no limit is above a message's, which is 4,608 bytes.
        put(UInt16(end))
        bytes.append(contentsOf: utf8.prefix(end))
    }
}
