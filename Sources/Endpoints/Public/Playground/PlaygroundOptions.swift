// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import Recipes
internal import RequestGrammar
internal import Signatures
internal import Web

/// `/playground/options.json`: the option table, with what the settings add to it or remove. The page builds its controls from it.
struct PlaygroundOptions: Encodable {
    struct Group: Encodable {
        var name: String
        var options: [Option]
    }

    /// A row of the option table. `kind` decides which of the later members are present.
    struct Option: Encodable {
        var name: String
        var synonyms: [String]
        /// The allowed values, the default and the effect, for people.
        var values: String
        var defaultValue: String
        var meaning: String
        /// `integer`, `decimal`, `flag`, `choice`, `length`, `color`, `number_or` or `text`.
        var kind: String
        var minimum: Double?
        var maximum: Double?
        /// A number allowed beside the range.
        var extra: Int?
        /// The names of a choice, or the words allowed beside the numbers.
        var choices: [String]?
    }

    struct DialectEntry: Encodable {
        var name: String
        var path: String
        var isSigned: Bool
    }

    struct SampleEntry: Encodable {
        var title: String
        var url: String
        /// The sample's file name below the page's path.
        var file: String
        /// A thumbnail of the sample, 112 by 80 pixels.
        var thumbnail: String
        /// The options that show the sample best.
        var options: [String: String]
    }

    var version: String
    var groups: [Group]
    var dialects: [DialectEntry]
    var samples: [SampleEntry]
    /// The allowed widths; empty = every width.
    var widths: [Int]

    init(dialects: Dialects, signatures: SignatureRule, version: String) {
        self.version = version
        let words = dialects.vocabulary
        groups = OptionTable.groups.compactMap { group in
            // Without a font there are no options for text.
            let rows = words.fontList.isEmpty ? group.rows.filter { !$0.isOfText } : group.rows
            let options = rows.filter(\.isChoice).map { Option($0, words) }
            return options.isEmpty ? nil : Group(name: group.name, options: options)
        }
        self.dialects = DialectName.allCases.filter { dialects[$0].isServed }.map { name in
            DialectEntry(
                name: name.rawValue, path: dialects[name].path,
                isSigned: !dialects[name].isOpen(by: signatures))
        }
        samples = Sample.all.map {
            SampleEntry(
                title: $0.title, url: $0.url, file: "\(Playground.path)/samples/\($0.name)",
                thumbnail: "\(Playground.path)/thumbs/\($0.thumbnail)",
                // All frames of a GIF; by default only the first is taken.
                options: $0.mediaType == "image/gif" ? ["n": "-1"] : [:])
        }
        widths = words.ladder.steps
    }
}

extension PlaygroundOptions.Option {
    fileprivate init(_ row: RequestOption, _ words: Vocabulary) {
        self.init(
            name: row.name, synonyms: row.synonyms, values: row.values, defaultValue: row.defaultValue,
            meaning: row.meaning, kind: "text")
        switch row.shape {
        case .integer(let range, let extra):
            kind = "integer"
            (minimum, maximum) = (Double(range.lowerBound), Double(range.upperBound))
            self.extra = extra
        case .decimal(let range):
            kind = "decimal"
            (minimum, maximum) = (range.lowerBound, range.upperBound)
        case .numberOr(let range, let words):
            kind = "number_or"
            (minimum, maximum) = (range.lowerBound, range.upperBound)
            choices = words
        case .flag: kind = "flag"
        case .choice(let names):
            kind = "choice"
            choices = names
        case .length: kind = "length"
        case .color: kind = "color"
        case .text:
            switch row.name {
            case "preset": choices = words.presetList
            case "wm": choices = words.watermarkList
            case "tfont":
                kind = "choice"
                choices = words.fontList
                defaultValue = words.fontList.first ?? ""
            default: break
            }
        }
    }
}
