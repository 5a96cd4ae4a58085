// SPDX-License-Identifier: Apache-2.0

/// The language of the URL, declared once: the parser of each dialect, the canonical spelling, the words of
/// the errors and the reference in the README are derived from these rows. A new option is a row here, a
/// field in `Recipe` and, where it can make no difference, a fold.
package enum OptionTable {
    /// In the order of the reference.
    package static let rows: [Option] = [
        Option(
            source: "url",
            values: "an http or https URL, percent-encoded; `//host/…`, `ssl:host/…` and `host/…` are https",
            meaning: "the original"),
        Option(
            "w", ["width"], sets: \.width, to: .length, defaultValue: "auto",
            meaning: "width of the box; percent are of the upright original"),
        Option(
            "h", ["height"], sets: \.height, to: .length, defaultValue: "auto",
            meaning: "height of the box; one side given, the other follows by ratio"),
        Option("dpr", sets: \.pixelRatio, to: .decimal(0.1...8), meaning: "multiplies `w` and `h`"),
        Option(
            "fit", ["t"], sets: \.fit, to: .choice(Recipe.Fit.allCases.map { ($0.rawValue, $0) }),
            meaning: "how the picture meets the box, as CSS object-fit and sharp name it"),
        Option(
            "we", sets: \.withoutEnlargement, to: .flag,
            meaning: "without enlargement; `we=0` lets a picture grow"),
        Option(
            "a", ["align"], sets: \.alignment,
            to: .choice(Recipe.Alignment.allCases.map { ($0.rawValue, $0) }, synonyms: alignmentSynonyms),
            meaning: "what `cover` keeps and where `contain` puts the picture"),
        Option(
            "output", sets: \.output,
            to: .choice(outputs, synonyms: ["jpeg": .format(.jpeg)]), defaultValue: "same as the source",
            meaning: "the format; `auto` is the best that the request's `Accept` allows"),
        Option(
            "q", ["quality"], sets: \.quality, to: .integer(1...100), defaultValue: "per format",
            meaning: "quality of JPEG, WebP and AVIF"),
        Option(
            "n", ["pages"], sets: \.pages, to: .integer(1...256, or: -1),
            meaning: "frames of an animation, for WebP and GIF; −1 takes all"),
    ]

    /// By name or synonym.
    package static func option(named name: String) -> Option? { byName[name] }

    private static let byName: [String: Option] = {
        var table: [String: Option] = [:]
        for row in rows {
            for name in [row.name] + row.synonyms { table[name] = row }
        }
        return table
    }()

    /// The recipe's rows in the order of the canonical spelling.
    static let canonicalOrder: [(name: String, field: RecipeField)] =
        rows.compactMap { row in
            guard case .recipe(let field) = row.role else { return nil }
            return (row.name, field)
        }.sorted { $0.name < $1.name }

    private static let outputs: [(String, Recipe.Output)] = [
        ("jpg", .format(.jpeg)), ("png", .format(.png)), ("webp", .format(.webp)), ("avif", .format(.avif)),
        ("gif", .format(.gif)), ("auto", .auto),
    ]

    private static let alignmentSynonyms: [String: Recipe.Alignment] = [
        "centre": .center, "c": .center, "t": .top, "r": .right, "b": .bottom, "l": .left,
        "left-top": .topLeft, "tl": .topLeft, "right-top": .topRight, "tr": .topRight,
        "left-bottom": .bottomLeft, "bl": .bottomLeft, "right-bottom": .bottomRight, "br": .bottomRight,
    ]
}
