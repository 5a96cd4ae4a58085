// SPDX-License-Identifier: Apache-2.0

/// Header fields in the order of arrival; names are compared without case (RFC 9110 §5.1).
///
/// A list and not a dictionary, because messages hold a dozen fields, order and repetition have meaning, and a linear scan over a
/// dozen short names is faster than hashing one.
package struct Fields: Sendable, Hashable {
    /// One field line.
    package struct Field: Sendable, Hashable {
        /// The name as spelled.
        package var name: String
        /// The value without white space around it.
        package var value: String

        /// Takes name and value without a check.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Every field line, in order.
    package private(set) var list: [Field]

    /// Takes the lines without a check.
    package init(_ list: [Field] = []) { self.list = list }

    /// Reserves room for this many lines in all.
    package mutating func reserve(_ count: Int) { list.reserveCapacity(count) }

    /// Adds a line at the end.
    package mutating func append(_ name: String, _ value: String) { list.append(Field(name, value)) }

    /// Replaces every field of that name by one line at the end.
    package mutating func set(_ name: String, _ value: String) {
        remove(name)
        append(name, value)
    }

    /// Replaces all fields that have the name of one of these.
    package mutating func replace(by fields: [Field]) {
        for field in fields { remove(field.name) }
        list += fields
    }

    /// Removes every line of that name.
    package mutating func remove(_ name: String) { list.removeAll { Self.same($0.name, name) } }

    /// The first value of that name; nil without one.
    package subscript(name: String) -> String? { list.first { Self.same($0.name, name) }?.value }

    /// Every value of that name, in order.
    package func values(_ name: String) -> [String] { list.filter { Self.same($0.name, name) }.map(\.value) }

    /// The values of that name as one list, joined by commas (RFC 9110 §5.3); nil without one.
    package func combined(_ name: String) -> String? {
        var combined: String?
        for field in list where Self.same(field.name, name) {
            if combined == nil {
                combined = field.value
            } else {
                combined?.append(", ")
                combined?.append(field.value)
            }
        }
        return combined
    }

    /// The tokens in that field's list, in lower case; empty without the field.
    package func tokens(_ name: String) -> [String] {
        (combined(name)?.lowercased() ?? "").split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
    }

    /// ASCII case-insensitive equality.
    package static func same(_ a: String, _ b: String) -> Bool {
        let (some, others) = (a.utf8, b.utf8)
        guard some.count == others.count else { return false }
        let first = some.span
        let second = others.span
        for index in 0..<first.count where lower(first[index]) != lower(second[index]) { return false }
        return true
    }

    private static func lower(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}
