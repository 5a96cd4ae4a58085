// SPDX-License-Identifier: Apache-2.0

internal import Recipes

/// The language of the URL, declared once: each dialect's parser, the canonical spelling, the texts of errors and
/// docs/reference/options.md are derived from these rows. A new option is a row here, a field in `Recipe`, and a line in
/// `canonicalised` if some of its values make no difference.
package enum OptionTable {
    /// The options by subject, in the order of the reference.
    package static let groups: [(name: String, rows: [RequestOption])] = [
        ("Picture", source), ("Size", box), ("Crop and shape", cuts), ("Turn", turns), ("Colour", colours),
        ("Light and sharpness", adjustments), ("Watermark", watermarks), ("Text", texts), ("Format", file),
        ("Animation and pages", pages), ("Delivery", delivery), ("Signature", signing),
    ]

    /// The options in the order of the reference, in which they are also read: a whole before its parts.
    package static let rows: [RequestOption] = groups.flatMap(\.rows)

    private static let source: [RequestOption] = [
        RequestOption(
            "url",
            values:
                "an http or https URL, percent-encoded; `//host/…`, `ssl:host/…` and `host/…` are https; `file://name/…`, `s3://bucket/…` and `azure://container/…` where the settings name them",
            defaultValue: "required", meaning: "the original", role: .source),
        RequestOption(
            "url64",
            values: "such a URL in base64url (RFC 4648 §5), with padding or without",
            meaning: "the original, in place of `url`", role: .encodedSource),
    ]

    /// The option with this name or synonym; nil for none.
    package static func option(named name: String) -> RequestOption? { row(named: name).map { rows[$0] } }

    /// The index in `rows` by name or synonym; nil for none.
    static func row(named name: String) -> Int? { byName[name] }

    private static let byName: [String: Int] = {
        var table: [String: Int] = [:]
        for (index, row) in rows.enumerated() {
            for name in [row.name] + row.synonyms { table[name] = index }
        }
        return table
    }()

    /// The recipe's rows in the order of the canonical spelling.
    static let canonicalOrder: [(name: String, field: OptionField<Recipe>)] =
        rows.compactMap { row in
            guard case .recipe(let field) = row.role else { return nil }
            return (row.name, field)
        }.sorted { $0.name < $1.name }
}
