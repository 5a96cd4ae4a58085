// SPDX-License-Identifier: Apache-2.0

/// Reads a message in the wire format of Protocol Buffers, field by field, up to its end or to the first malformed field.
struct ProtobufFields {
    /// The value of a field.
    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
        /// A value of four or eight bytes, which is skipped: no message that is read here has one.
        case fixed
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next field; nil at the end or at a malformed field.
    mutating func next() -> (field: UInt64, value: Value)? {
        guard let key = varint(), let type = ProtobufWriter.WireType(rawValue: key & 7),
            let value = content(of: type)
        else { return nil }
        return (key >> 3, value)
    }

    private mutating func content(of type: ProtobufWriter.WireType) -> Value? {
        switch type {
        case .varint:
            guard let number = varint() else { return nil }
            return .number(number)
        case .lengthDelimited:
            guard let count = varint(), let bytes = take(count) else { return nil }
            return .bytes(bytes)
        case .fixed64: return take(8) == nil ? nil : .fixed
        case .fixed32: return take(4) == nil ? nil : .fixed
        }
    }

    private mutating func varint() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            number |= UInt64(byte & 127) << shift
            if byte < 128 { return number }
        }
        return nil
    }

    private mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard let count = Int(exactly: count), count <= rest.count else { return nil }
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(count)
        return bytes
    }
}
