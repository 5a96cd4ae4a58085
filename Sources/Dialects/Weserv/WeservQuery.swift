// SPDX-License-Identifier: Apache-2.0
//
// The query of `/`, as weserv/images reads it (src/api/parsers/query.cpp and the processors): the first occurrence of a key counts,
// unknown keys are ignored, and a bad value is replaced by the default. The remaining values are read by the option table's own
// grammars, so that both dialects lead to the same recipes.

internal import Bytes
internal import Recipes
package import RequestGrammar
internal import SourceURLs

struct WeservQuery {
    private let vocabulary: Vocabulary
    /// The values by the option's native name, or by a deprecated key that the table does not have.
    private var given: [String: String] = [:]

    init(_ query: [UInt8], _ vocabulary: Vocabulary) {
        self.vocabulary = vocabulary
        for parameter in QueryParameters(lenient: query[...], urls: Self.urls).parameters {
            // As in weserv: a key without a value has the value −1, but one that nginx reads is absent.
            if parameter.value == nil, Self.keysOfNginx.contains(parameter.name) { continue }
            let name = OptionTable.option(named: parameter.name)?.name ?? parameter.name
            take(name, parameter.value ?? "-1")
        }
        if let redirect = given["errorredirect"] { offer("default", redirect) }
    }

    private static let urls: Set<String> = ["url", "default", "errorredirect"]
    /// `nginx_keys` in src/api/parsers/query.cpp.
    private static let keysOfNginx = urls.union(["filename", "encoding", "maxage"])

    /// Sets a value unless the key has one already.
    private mutating func offer(_ name: String, _ value: String) {
        if given[name] == nil { given[name] = value }
    }

    func request() throws(RequestError) -> ImageRequest {
        guard let url = given["url"] else { throw .missing(parameter: "url") }
        let source: SourceURL
        do { source = try Self.source(url) } catch { throw .invalidSource(parameter: "url", error) }
        var recipe = Self.standard
        var delivery = Delivery()
        for option in OptionTable.rows {
            guard let text = given[option.name], let value = WeservValue.native(text, of: option.name) else {
                continue
            }
            _ = option.set(value, in: &recipe, &delivery)
        }
        recipe.keepOtherSide()
        if let source = recipe.watermark?.source, !vocabulary.knows(watermark: source) {
            recipe.watermark = nil
        }
        do throws(RequestError) { recipe = try vocabulary.lettered(recipe) } catch { recipe.text = nil }
        // A report and a `data:` URL have no file name, as in weserv (`Stream::close` in src/nginx/stream.cpp).
        let isPicture = recipe.output != .json && delivery.encoding == .none
        delivery.filename = isPicture ? delivery.filename ?? "image" : nil
        delivery.hasFramesToLose = recipe.losesFrames
        return ImageRequest(source: source, recipe: vocabulary.sized(recipe), delivery: delivery)
    }

    /// weserv's defaults, set explicitly where Pictor's differ (include/weserv/config.h), and its order of the steps (`process` in
    /// src/api/api_manager_impl.cpp).
    private static let standard: Recipe = {
        var recipe = Recipe()
        recipe.withoutEnlargement = false
        recipe.turnsFirst = true
        recipe.quality = .number(80)
        recipe.pngLevel = 6
        recipe.adaptiveFilter = false
        return recipe
    }()

    /// Parses a source: a bare host means http, and slashes before a host are ignored, as in weserv (`parse_url` in
    /// src/nginx/uri_parser.cpp). After the host, a backslash, a vertical bar, a control character and a blank at the end are ordinary
    /// characters.
    static func source(_ text: String) throws(SourceURLError) -> SourceURL {
        let lower = text.lowercased()
        let scheme = ["http://", "https://", "ssl:", "//"].first { lower.hasPrefix($0) } ?? ""
        let rest = text.dropFirst(scheme.count).drop { $0 == "/" }
        guard let path = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else {
            return try SourceURL.parse(scheme + rest, bareScheme: .http)
        }
        let target = PercentEscape.encode(String(rest[path...])) {
            $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "|")
        }
        return try SourceURL.parse(scheme + rest[..<path] + target, bareScheme: .http)
    }

    /// Parses where to redirect. As in weserv, fewer than four characters are no URL: `default=0` leads nowhere.
    static func fallback(_ text: String) -> SourceURL? {
        guard text.utf8.count >= 4 else { return nil }
        return try? source(text)
    }

    // MARK: Keys that stand for several

    /// Sets what a parameter stands for (`add_value` in src/api/parsers/query.cpp). A value that an earlier parameter has set stays,
    /// whatever its key: of `mod=1,2&sat=3` the saturation is 2.
    private mutating func take(_ name: String, _ value: String) {
        switch name {
        case "a": takeAlignment(value)
        case "crop":
            // Deprecated: `crop=w,h,x,y`.
            let numbers = Self.tokens(value, upTo: 4)
            if numbers.count == 4 { offer(["cw", "ch", "cx", "cy"], numbers) }
        case "fit":
            // These deprecated values imply no enlargement.
            if value == "fit" || value == "squaredown" { offer("we", "1") }
            offer(name, value)
        case "mod": offer(["mod", "sat", "hue"], Self.tokens(value, upTo: 3))
        case "sharp":
            // One number is sigma; `flat,jagged,sigma` is deprecated.
            let numbers = Self.tokens(value, upTo: 3)
            offer(numbers.count == 1 ? ["sharp"] : ["sharpf", "sharpj", "sharp"], numbers)
        default: offer(name, value)
        }
    }

    private mutating func offer(_ names: [String], _ values: [String]) {
        for (name, value) in zip(names, values) { offer(name, value) }
    }

    /// The deprecated `a=focal-x-y` and `a=crop-x-y` name a point in percent. What they leave out is the middle.
    private mutating func takeAlignment(_ value: String) {
        guard value.hasPrefix("focal") || value.hasPrefix("crop-") else { return offer("a", value) }
        offer("a", "focal")
        guard value.contains("-") else { return }
        let percent = value.drop { $0 != "-" }.split(separator: "-").prefix(2).map { text -> Int in
            let number = WeservValue.integer(String(text)) ?? 50
            return (0...100).contains(number) ? number : 50
        }
        for (name, number) in zip(["fpx", "fpy"], percent + [50, 50]) {
            offer(name, DecimalText.write(Double(number) / 100))
        }
    }

    private static func tokens(_ text: String, upTo count: Int) -> [String] {
        text.split(separator: ",").prefix(count).map(String.init)
    }
}

extension Recipe {
    /// With `fit=fill` and one side, the other side stays as it is (`Thumbnail::resolve_shrink` in src/api/processors/thumbnail.cpp),
    /// whatever factor multiplies the given side.
    fileprivate mutating func keepOtherSide() {
        guard fit == .fill, aspect == nil, (width == nil) != (height == nil) else { return }
        // Cannot trap: neither factor is below 0.1.
        let whole = Length.percent(DecimalText.quantised(100 / (pixelRatio * zoom)))
        (width, height) = (width ?? whole, height ?? whole)
    }
}

extension ImageRequest {
    /// Parses the query of `/`, as wsrv.nl reads it, without the question mark.
    package static func parse(
        weserv query: some Sequence<UInt8>, vocabulary: Vocabulary = .empty
    ) throws(RequestError) -> ImageRequest {
        try WeservQuery(Array(query), vocabulary).request()
    }
}
