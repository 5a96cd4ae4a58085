// SPDX-License-Identifier: Apache-2.0

extension OptionTable {
    /// The reference for people: a Markdown table with a row per option, ending in a line feed.
    package static var markdown: String {
        let head = "| option | value | default | meaning |\n|---|---|---|---|\n"
        return rows.reduce(into: head) { table, row in
            let names = "`\(row.name)`" + row.synonyms.map { " [`\($0)`]" }.joined()
            table += "| \(names) | \(row.values) | \(row.defaultValue) | \(row.meaning) |\n"
        }
    }
}
