// SPDX-License-Identifier: Apache-2.0

/// Writes a message in the wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding). Fields with default values
/// are left out, as proto3 requires.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    /// The encoding of a field's value, in the lowest three bits of its key.
    enum WireType: UInt64 { case varint = 0, fixed64 = 1, lengthDelimited = 2, fixed32 = 5 }

    mutating func string(_ field: UInt64, _ text: String) {
        if !text.isEmpty { chosen(field, text) }
    }

    mutating func bytes(_ field: UInt64, _ value: [UInt8]) {
        if !value.isEmpty { delimited(field, value) }
    }

    mutating func unsigned(_ field: UInt64, _ value: UInt64) {
        if value != 0 { chosen(field, value) }
    }

    mutating func fixed64(_ field: UInt64, _ value: UInt64) {
        if value != 0 { fixed(field, .fixed64, value) }
    }

    mutating func fixed32(_ field: UInt64, _ value: UInt32) {
        if value != 0 { fixed(field, .fixed32, value) }
    }

    /// Writes a message within this one, even if it is empty.
    mutating func message(_ field: UInt64, _ write: (inout ProtobufWriter) -> Void) {
        var inner = ProtobufWriter()
        write(&inner)
        delimited(field, inner.bytes)
    }

    // Writes a member of a `oneof`, even if its value is the default, because its presence tells which member is set.

    mutating func chosen(_ field: UInt64, _ text: String) { delimited(field, Array(text.utf8)) }

    mutating func chosen(_ field: UInt64, _ value: UInt64) {
        key(field, .varint)
        varint(value)
    }

    mutating func chosen(_ field: UInt64, _ value: Double) { fixed(field, .fixed64, value.bitPattern) }

    private mutating func fixed(_ field: UInt64, _ type: WireType, _ value: some FixedWidthInteger) {
        key(field, type)
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    private mutating func delimited(_ field: UInt64, _ value: [UInt8]) {
        key(field, .lengthDelimited)
        varint(UInt64(clamping: value.count))
        bytes += value
    }

    private mutating func key(_ field: UInt64, _ type: WireType) { varint(field << 3 | type.rawValue) }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
