// SPDX-License-Identifier: Apache-2.0

/// What strangers wrote, as it may stand in a line of the log: a host, a URL, words of a library about a
/// picture.
package enum LogText {
    /// Whether it ends a line, moves a terminal's cursor, or turns round what stands beside it, without being
    /// seen: the controls C0, DEL and C1, the format characters (the bidirectional overrides and isolates of
    /// Unicode's annex 9, zero-width characters, tags), and the separators of lines and paragraphs.
    static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// The text with these as JSON spells them: `\u001b`, `\u202e`.
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
