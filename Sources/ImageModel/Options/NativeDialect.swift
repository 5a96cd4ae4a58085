// SPDX-License-Identifier: Apache-2.0

/// The dialect of `/img`: strict, so that a mistake is told and not served. Unknown parameters, invalid
/// values and parameters given twice (by whatever synonym) are errors.
enum NativeDialect {
    /// The recipe comes back folded.
    static func read(_ query: [UInt8]) throws(RequestError) -> (source: SourceURL?, recipe: Recipe) {
        var source: SourceURL?
        var recipe = Recipe()
        var given: [String: QueryParameters.Parameter] = [:]
        for parameter in try QueryParameters(query[...]).parameters {
            guard let option = OptionTable.option(named: parameter.name) else {
                throw .unknownOption(parameter: parameter.name)
            }
            guard given.updateValue(parameter, forKey: option.name) == nil else {
                throw .duplicate(parameter: parameter.name)
            }
        }
        for option in OptionTable.rows {
            guard let parameter = given[option.name] else { continue }
            switch option.role {
            case .source:
                do { source = try SourceURL.parse(parameter.value ?? "") } catch {
                    throw .invalidSource(parameter: parameter.name, error)
                }
            case .recipe(let field), .shorthand(let field):
                guard field.read(parameter.value, &recipe) else {
                    throw .invalidValue(parameter: parameter.name, allowed: option.values)
                }
            }
        }
        if recipe.pixelRatioLeavesRange {
            throw .invalidValue(
                parameter: "dpr",
                allowed: "what keeps w and h within \(ValueGrammar<Recipe.Length>.length.words)")
        }
        return (source, recipe.folded)
    }
}

extension Recipe {
    /// A side times the ratio is more than may be asked for; folding would cut it.
    fileprivate var pixelRatioLeavesRange: Bool {
        [width, height].contains { length in
            switch length {
            case nil: false
            case .pixels(let pixels):
                (Double(pixels) * pixelRatio).rounded() > Double(Length.pixelRange.upperBound)
            case .percent(let percent): percent * pixelRatio > Length.percentRange.upperBound
            }
        }
    }
}
