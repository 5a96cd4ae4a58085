// SPDX-License-Identifier: Apache-2.0

/// Writes JSON objects (RFC 8259) with their members in a stable order.
package struct JSONText {
    /// A member's value: text, integer, Boolean, an array of integers, or an object in turn.
    package indirect enum Value {
        case text(String)
        case number(Int)
        case flag(Bool)
        case numbers([Int])
        case object([(String, Value)])
    }

    /// One object on one line, its members in the given order.
    package static func object(_ members: [(String, Value)]) -> String {
        let pairs = members.map { name, value in
            switch value {
            case .text(let text): "\(quoted(name)):\(quoted(text))"
            case .number(let number): "\(quoted(name)):\(number)"
            case .flag(let flag): "\(quoted(name)):\(flag)"
            case .numbers(let numbers): "\(quoted(name)):[\(numbers.map(String.init).joined(separator: ","))]"
            case .object(let members): "\(quoted(name)):\(object(members))"
            }
        }
        return "{" + pairs.joined(separator: ",") + "}"
    }

    /// A quoted string by RFC 8259 §7. `<`, `>`, `&` and invisible characters (`LogText.isUnseen`) are
    /// escaped as well, so that HTML and terminals can show the text safely.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "<", ">", "&": result += LogText.escape(scalar)
            case _ where LogText.isUnseen(scalar): result += LogText.escape(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
