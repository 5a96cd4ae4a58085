// SPDX-License-Identifier: Apache-2.0

/// Escapes text from outside (a host, a URL, a library's words about a picture) so that it is safe in a line of the log.
package enum LogText {
    /// True for invisible characters that end a line, move a terminal's cursor, or reverse the order of the text beside them: the
    /// controls C0, DEL and C1, the format characters (the bidirectional overrides and isolates of Unicode's annex 9, zero-width
    /// characters, tags), and the separators of lines and paragraphs.
    static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// The text with its invisible characters escaped as JSON spells them: `\u001b`, `\u202e`.
    package static func visible(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnseen) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isUnseen(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }

    /// RFC 8259 §7: `\u` and four digits; a surrogate pair beyond the basic plane.
    package static func escape(_ scalar: Unicode.Scalar) -> String {
        UTF16.encode(scalar).map { units in
            units.map { unit in
                let hex = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            }.joined()
        } ?? ""
    }
}
