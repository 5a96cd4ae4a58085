// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import Recipes

/// The names and rules that a configuration adds to the URL language.
package struct Vocabulary: Sendable {
    /// The options of each preset, by its name.
    private let presets: [String: [QueryParameters.Parameter]]
    /// The names of watermarks; nil if every name is valid, as in a decoder, which gets the watermark itself.
    let watermarks: Set<String>?
    /// The font families for texts, the usual one first; nil if every family is valid, as in a decoder.
    let fonts: [String]?
    /// The ladder for the sizes that a query asks for.
    package let ladder: WidthLadder
    /// The limit for the same sizes.
    package var limit = SizeLimit.none
    /// The rules for clients' hints; nil if hints are not read.
    package let hints: HintRules?
    /// Formats that `Accept` may choose.
    package var formats = AcceptClass.usual

    private init(
        presets: [String: [QueryParameters.Parameter]], watermarks: Set<String>?, fonts: [String]?,
        ladder: WidthLadder = .none, hints: HintRules? = nil
    ) {
        self.presets = presets
        self.watermarks = watermarks
        self.fonts = fonts
        self.ladder = ladder
        self.hints = hints
    }

    /// A vocabulary without presets, watermarks and fonts.
    package static let empty = Vocabulary(presets: [:], watermarks: [], fonts: [])
    static let unchecked = Vocabulary(presets: [:], watermarks: nil, fonts: nil)

    /// The reason why a preset cannot be used.
    package struct Mistake: Error, CustomStringConvertible {
        /// The quoted preset and its fault, to be shown after `options.presets: `.
        package let description: String
    }

    /// - Parameter presets: `name=options`, the options as in a query; each must be valid by itself.
    package init(
        presets: [String], watermarks: Set<String>, fonts: [String] = [], ladder: WidthLadder = .none,
        hints: HintRules? = nil
    ) throws(Mistake) {
        var table: [String: [QueryParameters.Parameter]] = [:]
        for text in presets {
            let name = String(text.prefix { $0 != "=" })
            guard text.utf8.contains(UInt8(ascii: "=")), ConfiguredName.isValid(name) else {
                throw Mistake(description: "\"\(text)\" is not name=options, as thumb=w=200&h=200")
            }
            guard table[name] == nil else { throw Mistake(description: "\"\(name)\" is given twice") }
            do throws(RequestError) {
                let options = Array(text.utf8.dropFirst(name.utf8.count + 1))
                table[name] = try Self.check(
                    options, Vocabulary(presets: [:], watermarks: watermarks, fonts: fonts, hints: hints))
            } catch {
                throw Mistake(description: "\"\(name)\": \(error.message)")
            }
        }
        self.init(presets: table, watermarks: watermarks, fonts: fonts, ladder: ladder, hints: hints)
    }

    private static func check(
        _ options: [UInt8], _ vocabulary: Vocabulary
    ) throws(RequestError) -> [QueryParameters.Parameter] {
        let parameters = try QueryParameters(options[...]).parameters
        for parameter in parameters where OptionTable.option(named: parameter.name)?.isPlain == false {
            throw .unknownOption(parameter: parameter.name)
        }
        _ = try NativeQuery.read(options, vocabulary)
        return parameters
    }

    /// The canonical recipe with a size that may be made: a step of the ladder, within the limit.
    package func sized(_ recipe: Recipe) -> Recipe { limit.bounding(ladder.climbed(by: recipe)) }

    /// The options of a preset; nil if there is no such preset.
    func options(ofPreset name: String?) -> [QueryParameters.Parameter]? { name.flatMap { presets[$0] } }

    /// The names of the presets, in order.
    package var presetList: [String] { presets.keys.sorted() }

    /// The names of the watermarks, in order.
    package var watermarkList: [String] { (watermarks ?? []).sorted() }

    /// The font families for texts, the usual one first; empty if no text can be written.
    package var fontList: [String] { fonts ?? [] }

    /// The names of the presets, for people.
    var presetNames: String {
        presets.isEmpty ? "none, since options.presets names none" : presetList.joined(separator: ", ")
    }

    /// The watermarks that a URL may name, for people.
    var watermarkNames: String {
        let url = "an http or https URL, percent-encoded"
        let names = watermarkList
        return names.isEmpty
            ? "\(url), since options.watermarks names none" : "\(names.joined(separator: ", ")), or \(url)"
    }

    /// The recipe with a font family for its text.
    /// - Throws: if the settings name no family, or not this one.
    package func lettered(_ recipe: Recipe) throws(RequestError) -> Recipe {
        guard let text = recipe.text, let fonts else { return recipe }
        guard let usual = fonts.first else {
            throw .invalidValue(parameter: "text", allowed: "no text, since decoder.fonts names no family")
        }
        if let font = text.font, !fonts.contains(font) {
            throw .invalidValue(
                parameter: "tfont", allowed: fonts.map { "`\($0)`" }.joined(separator: " "))
        }
        var recipe = recipe
        recipe.text?.font = text.font ?? usual
        return recipe
    }

    /// True if the configuration has a watermark of this name; URLs are always valid.
    package func knows(watermark source: String) -> Bool {
        source.contains("/") || watermarks?.contains(source) ?? true
    }
}
