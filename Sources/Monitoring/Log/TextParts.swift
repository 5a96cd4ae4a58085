// SPDX-License-Identifier: Apache-2.0

/// A text for the log in parts. Secrets are looked for in each part separately, because none extends into the next part.
struct TextParts: Sendable, CustomStringConvertible {
    let list: [String]

    /// The whole text, with its secrets.
    var description: String { list.joined() }

    /// JSON, divided before each unescaped quotation mark, so that a string is within one part.
    init(json: String) {
        var (list, part, isEscaped) = ([String](), "", false)
        for scalar in json.unicodeScalars {
            if scalar == "\"", !isEscaped {
                list.append(part)
                part = ""
            }
            part.unicodeScalars.append(scalar)
            isEscaped = scalar == "\\" && !isEscaped
        }
        self.list = list + [part]
    }

    /// Text of which no structure is known, as one part.
    init(whole text: String) { list = [text] }
}
