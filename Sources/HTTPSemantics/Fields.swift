// SPDX-License-Identifier: Apache-2.0

/// Header fields in the order they came, names compared without case (RFC 9110 §5.1).
///
/// A list and not a dictionary: messages hold a dozen fields, order and repetition carry meaning, and a
/// linear scan over a dozen short names is faster than hashing one.
package struct Fields: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package private(set) var list: [Field]

    package init(_ list: [Field] = []) { self.list = list }

    package mutating func append(_ name: String, _ value: String) { list.append(Field(name, value)) }

    /// Replaces every field of that name by one.
    package mutating func set(_ name: String, _ value: String) {
        remove(name)
        append(name, value)
    }

    package mutating func remove(_ name: String) { list.removeAll { Self.same($0.name, name) } }

    /// The first value of that name.
    package subscript(name: String) -> String? { list.first { Self.same($0.name, name) }?.value }

    /// Every value of that name, in order.
    package func values(_ name: String) -> [String] { list.filter { Self.same($0.name, name) }.map(\.value) }

    /// The values of that name as one list, joined by a comma (RFC 9110 §5.3), or nil without such a field.
    package func combined(_ name: String) -> String? {
        let all = values(name)
        return all.isEmpty ? nil : all.joined(separator: ", ")
    }

    /// ASCII case-insensitive equality.
    package static func same(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count && zip(a.utf8, b.utf8).allSatisfy { lower($0) == lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}
