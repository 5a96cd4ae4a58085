// SPDX-License-Identifier: Apache-2.0

/// A text for the log whose parts are looked through one by one: no secret goes on into the next.
struct TextParts: Sendable, CustomStringConvertible {
    let list: [String]

    /// With its secrets.
    var description: String { list.joined() }

    /// JSON, cut before each of its quotation marks, so that what stands in one string is in one part.
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

    /// A text that is cut nowhere.
    init(whole text: String) { list = [text] }
}
