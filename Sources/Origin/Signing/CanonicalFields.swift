// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// Fields in the canonical form for signatures, the same at Amazon and Microsoft: names in lower case, sorted; values without
/// outer white space, and with single spaces inside. Lines with the same name are joined in their order.
struct CanonicalFields {
    private(set) var list: [Fields.Field] = []

    init(_ fields: [Fields.Field]) {
        for field in fields {
            let (name, value) = (Self.lowerCase(field.name), Self.singleSpaced(field.value))
            if let index = list.firstIndex(where: { $0.name == name }) {
                list[index] = Fields.Field(name, "\(list[index].value),\(value)")
            } else {
                list.append(Fields.Field(name, value))
            }
        }
        list.sort { $0.name < $1.name }
    }

    /// A line `name:value` with a line feed for each field.
    var lines: String {
        var lines = ""
        lines.reserveCapacity(512)
        for field in list {
            lines += field.name
            lines += ":"
            lines += field.value
            lines += "\n"
        }
        return lines
    }

    /// The names, separated by semicolons.
    var names: String {
        var names = ""
        for field in list {
            if !names.isEmpty { names += ";" }
            names += field.name
        }
        return names
    }

    /// Most names are in lower case already.
    private static func lowerCase(_ name: String) -> String {
        name.utf8.allSatisfy { $0 < 0x80 && !(0x41...0x5A).contains($0) } ? name : name.lowercased()
    }

    private static func singleSpaced(_ value: String) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard value.utf8.contains(where: isSpace) else { return value }
        return value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }
}
