// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes
internal import SourceURLs

/// The query of `/img`, which is also the form of a canonical recipe. It is strict, so that mistakes are reported: unknown
/// parameters, invalid values and parameters given twice (by whatever synonym) are errors.
enum NativeQuery {
    /// Reads a query; the recipe is canonical.
    static func read(
        _ query: [UInt8], _ vocabulary: Vocabulary, _ needs: ClientNeeds = .none
    ) throws(RequestError) -> (source: SourceURL?, recipe: Recipe, delivery: Delivery) {
        let (given, choosesSize) = try parameters(of: query, vocabulary)
        var source: SourceURL?
        var recipe = Recipe()
        var delivery = Delivery()
        for (row, parameter) in given.sorted(by: { $0.key < $1.key }) {
            let option = OptionTable.rows[row]
            if let hints = Self.hints[row], parameter.value == "auto" {
                guard vocabulary.hints != nil else { throw .needsHints(parameter: parameter.name) }
                delivery.hints.formUnion(hints)
                if hints == .pixelRatio { recipe.pixelRatio = needs.pixelRatio ?? 1 }
                continue
            }
            switch option.role {
            case .source: source = try Self.source(parameter.value, of: parameter.name)
            case .encodedSource:
                guard source == nil else { throw .duplicate(parameter: parameter.name) }
                source = try Self.source(Self.decoded(parameter, option), of: parameter.name)
            case .preset, .signing: continue
            case .recipe, .shorthand, .delivery:
                guard option.set(parameter.value, in: &recipe, &delivery) else {
                    throw .invalidValue(parameter: parameter.name, allowed: option.values)
                }
            }
        }
        if delivery.hints.contains(.width) {
            recipe.setWidth(ofPicture: vocabulary.hints?.width(needs))
        }
        try check(recipe, vocabulary)
        recipe = try vocabulary.lettered(recipe)
        delivery.hasFramesToLose = recipe.losesFrames
        return (source, choosesSize ? vocabulary.sized(recipe) : recipe.canonicalised, delivery)
    }

    static func source(_ text: String?, of name: String) throws(RequestError) -> SourceURL {
        do { return try SourceURL.parse(text ?? "") } catch {
            throw .invalidSource(parameter: name, error)
        }
    }

    private static func decoded(
        _ parameter: QueryParameters.Parameter, _ option: RequestOption
    ) throws(RequestError) -> String {
        guard let bytes = Base64URL.decode((parameter.value ?? "").utf8),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw .invalidValue(parameter: parameter.name, allowed: option.values) }
        return text
    }

    /// The parameters by their options' rows. The preset's parameters are added where the query itself has none for the option.
    /// `choosesSize` is true if the query itself names a size.
    private static func parameters(
        of query: [UInt8], _ vocabulary: Vocabulary
    ) throws(RequestError) -> (given: [Int: QueryParameters.Parameter], choosesSize: Bool) {
        var given: [Int: QueryParameters.Parameter] = [:]
        for parameter in try QueryParameters(query[...]).parameters {
            guard let row = OptionTable.row(named: parameter.name) else {
                throw .unknownOption(parameter: parameter.name, mayBeOfSource: hasQuery(in: given))
            }
            guard given[row] == nil else {
                throw .duplicate(parameter: parameter.name, mayBeOfSource: hasQuery(in: given))
            }
            given[row] = parameter
        }
        let choosesSize = given.keys.contains(where: sizes.contains)
        guard let preset = preset.flatMap({ given[$0] }) else { return (given, choosesSize) }
        guard let options = vocabulary.options(ofPreset: preset.value) else {
            throw .invalidValue(parameter: preset.name, allowed: vocabulary.presetNames)
        }
        for parameter in options {
            guard let row = OptionTable.row(named: parameter.name), given[row] == nil else { continue }
            given[row] = parameter
        }
        return (given, choosesSize)
    }

    /// True if a source is among them and has a query.
    private static func hasQuery(in given: [Int: QueryParameters.Parameter]) -> Bool {
        url.flatMap { given[$0]?.value }?.contains("?") == true
    }

    private static let sizes = ["w", "h", "dpr", "zoom", "minw", "minh"].compactMap(OptionTable.row(named:))
    /// The hints that the value `auto` depends on, by the row of the option.
    private static let hints: [Int: HintFields] = {
        let rows = [("w", HintFields.ofWidth), ("dpr", HintFields.pixelRatio)].compactMap { name, hints in
            OptionTable.row(named: name).map { ($0, hints) }
        }
        return Dictionary(rows) { first, _ in first }
    }()
    private static let preset = OptionTable.row(named: "preset")
    private static let url = OptionTable.row(named: "url")

    private static func check(_ recipe: Recipe, _ vocabulary: Vocabulary) throws(RequestError) {
        if let excess = recipe.excess {
            throw .invalidValue(parameter: excess.parameter, allowed: excess.allowed)
        }
        if let source = recipe.watermark?.source, !vocabulary.knows(watermark: source) {
            throw .invalidValue(parameter: "wm", allowed: vocabulary.watermarkNames)
        }
    }
}
