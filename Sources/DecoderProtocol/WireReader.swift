// SPDX-License-Identifier: Apache-2.0

/// Parses a message. Never traps on any bytes; a field that is missing or out of range is nil.
struct WireReader {
    private var rest: ArraySlice<UInt8>

    /// Nil for another version or an unknown kind.
    static func open(_ message: [UInt8], limit: Int = Wire.longestMessage) -> (
        kind: Wire.Kind, reader: WireReader
    )? {
        guard message.count >= 2, message.count <= limit, message[0] == Wire.version,
            let kind = Wire.Kind(rawValue: message[1])
        else { return nil }
        return (kind, WireReader(rest: message.dropFirst(2)))
    }

    /// True once everything has been read. A further byte means that the two ends disagree.
    var isAtEnd: Bool { rest.isEmpty }

    mutating func number<Value: FixedWidthInteger & UnsignedInteger>(_: Value.Type) -> Value? {
        let width = Value.bitWidth / 8
        guard rest.count >= width else { return nil }
        var value: Value = 0
        for byte in rest.prefix(width).reversed() { value = value << 8 | Value(byte) }
        rest = rest.dropFirst(width)
        return value
    }

    mutating func integer<Width: FixedWidthInteger & UnsignedInteger>(
        _ type: Width.Type, in range: ClosedRange<Int>
    ) -> Int? {
        guard let value = number(type), let value = Int(exactly: value), range.contains(value) else {
            return nil
        }
        return value
    }

    mutating func flag() -> Bool? {
        switch number(UInt8.self) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    mutating func text(limit: Int) -> String? {
        guard let count = integer(UInt16.self, in: 0...limit), rest.count >= count else { return nil }
        let text = String(validating: rest.prefix(count), as: UTF8.self)
        rest = rest.dropFirst(count)
        return text
    }
}
