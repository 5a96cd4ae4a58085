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
            offer(name, parameter.value ?? "-1")
        }
    }

    private static let urls: Set<String> = ["url", "default", "errorredirect"]
    /// `nginx_keys` in src/api/parsers/query.cpp.
    private static let keysOfNginx = urls.union(["filename", "encoding", "maxage"])

    /// Sets a value unless the key has one already.
    private mutating func offer(_ name: String, _ value: String) {
        if given[name] == nil { given[name] = value }
    }

    func request() throws(RequestError) -> ImageRequest {
        var copy = self
        copy.expand()
        return try copy.read()
    }

    private func read() throws(RequestError) -> ImageRequest {
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

    private mutating func expand() {
        expandCrop()
        expandFocal()
        expandSharpening()
        expandModulation()
        // These deprecated values imply no enlargement.
        if let fit = given["fit"], fit == "fit" || fit == "squaredown" { offer("we", "1") }
        if let redirect = given["errorredirect"] { offer("default", redirect) }
    }

    /// Expands the deprecated `crop=w,h,x,y`.
    private mutating func expandCrop() {
        guard let crop = given["crop"] else { return }
        let numbers = Self.tokens(crop, upTo: 4)
        guard numbers.count == 4 else { return }
        for (name, number) in zip(["cw", "ch", "cx", "cy"], numbers) { offer(name, number) }
    }

    /// Expands the deprecated `a=focal-x-y` and `a=crop-x-y`, in percent.
    private mutating func expandFocal() {
        guard let alignment = given["a"], alignment.hasPrefix("focal") || alignment.hasPrefix("crop-") else {
            return
        }
        given["a"] = "focal"
        let percent = alignment.drop { $0 != "-" }.split(separator: "-").prefix(2)
        for (name, text) in zip(["fpx", "fpy"], percent) {
            guard let number = WeservValue.integer(String(text)), (0...100).contains(number) else { continue }
            offer(name, DecimalText.write(Double(number) / 100))
        }
    }

    /// Expands the deprecated `sharp=flat,jagged,sigma`.
    private mutating func expandSharpening() {
        guard let text = given["sharp"] else { return }
        let numbers = Self.tokens(text, upTo: 3)
        guard numbers.count > 1 else { return }
        given["sharp"] = nil
        for (name, number) in zip(["sharpf", "sharpj", "sharp"], numbers) { offer(name, number) }
    }

    private mutating func expandModulation() {
        guard let text = given["mod"] else { return }
        let numbers = Self.tokens(text, upTo: 3)
        given["mod"] = numbers.first
        for (name, number) in zip(["sat", "hue"], numbers.dropFirst()) { offer(name, number) }
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
