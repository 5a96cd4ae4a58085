// SPDX-License-Identifier: Apache-2.0

/// Reads the wire format by its own words: fields by number, each with its values in order.
package struct ProtobufReader: Sendable {
    package enum Value: Sendable {
        case number(UInt64)
        case bytes([UInt8])
    }

    package struct Malformed: Error {}

    package private(set) var fields: [UInt64: [Value]] = [:]

    package init(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let key = try Self.varint(&rest)
            let value: Value =
                switch key & 7 {
                case 0: .number(try Self.varint(&rest))
                case 1: .number(try Self.little(8, &rest))
                case 5: .number(try Self.little(4, &rest))
                case 2: .bytes(try Self.take(Int(clamping: try Self.varint(&rest)), &rest))
                default: throw Malformed()
                }
            fields[key >> 3, default: []].append(value)
        }
    }

    package func number(_ field: UInt64) throws -> UInt64 {
        guard case .number(let number) = fields[field]?.first else { throw Malformed() }
        return number
    }

    package func bytes(_ field: UInt64) throws -> [UInt8] {
        guard case .bytes(let bytes) = fields[field]?.first else { throw Malformed() }
        return bytes
    }

    package func text(_ field: UInt64) throws -> String { String(decoding: try bytes(field), as: UTF8.self) }

    package func message(_ field: UInt64) throws -> ProtobufReader { try ProtobufReader(try bytes(field)) }

    package func messages(_ field: UInt64) throws -> [ProtobufReader] {
        try (fields[field] ?? []).map { value in
            guard case .bytes(let bytes) = value else { throw Malformed() }
            return try ProtobufReader(bytes)
        }
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
        var (number, shift): (UInt64, UInt64) = (0, 0)
        while true {
            guard let byte = rest.popFirst(), shift < 70 else { throw Malformed() }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
    }

    private static func little(_ count: Int, _ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
        try take(count, &rest).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) throws -> [UInt8] {
        guard rest.count >= count else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}
