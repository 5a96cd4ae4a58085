// SPDX-License-Identifier: Apache-2.0

internal import RequestGrammar

/// Queries of the option table's own names, with the values that the table tells of, and with odd ones.
enum OptionGrammar {
    private struct Entry {
        let names: [String]
        /// Words between backticks, and numbers with their neighbours, from the table's own description.
        let values: [String]

        init(_ option: RequestOption) {
            names = [option.name] + option.synonyms
            let parts = option.values.split(separator: "`", omittingEmptySubsequences: false)
            var values = parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
            let digits = option.values.split { !"0123456789.-−".contains($0) }
            for text in digits {
                guard let number = Double(text.replacing("−", with: "-")) else { continue }
                values += ["\(number)", "\(number - 1)", "\(number + 1)"]
                guard let whole = Int(exactly: number), abs(whole) < 1 << 40 else { continue }
                values += [whole, whole - 1, whole + 1].map { "\($0)" }
            }
            self.values = values.isEmpty ? ["1"] : values
        }
    }

    private static let entries = OptionTable.rows.map(Entry.init)

    private static let sources = [
        "a.example/b.jpg", "https://a.example:8443/%62?c=d", "//[2001:db8::1]/x", "ssl:b.example/",
        "http%3A%2F%2Fc.example%2Fd",
        "https://a.example/%25", "",
    ]

    static func query(_ choices: inout Choices) -> [UInt8] {
        var text = "url=" + choices.pick(sources)
        for _ in 0..<choices.number(below: 12) {
            let entry = choices.pick(entries)
            text += choices.pick(["&", "&", "&", "&&", "&amp;"]) + choices.pick(entry.names)
            if choices.chance(95) { text += "=" + value(of: entry, &choices) }
        }
        if choices.chance(10) {
            text += choices.pick(["&%", "&w=%ZZ", "&=", "&x", "&w=1&w=1", "&\u{0}", "&é=1", "&%00=1"])
        }
        return Array(text.utf8)
    }

    private static func value(of entry: Entry, _ choices: inout Choices) -> String {
        switch choices.number(below: 10) {
        case 0...4: choices.pick(entry.values)
        case 5: choices.pick(entry.values) + "%25"
        case 6: (0...choices.number(below: 5)).map { _ in choices.pick(entry.values) }.joined(separator: ",")
        case 7:
            choices.pick([
                "f0f", "80ff0000", "%23123456", "red", "transparent", "auto:0.9", "focal-10-90", "crop-1-1",
                "-1",
            ])
        default: choices.oddText() + choices.pick(["", "", "%25", ","])
        }
    }
}
