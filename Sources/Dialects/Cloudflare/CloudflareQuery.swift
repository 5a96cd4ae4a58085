// SPDX-License-Identifier: Apache-2.0
//
// The options of `/cdn-cgi/image/…`, as Cloudflare documents them (https://developers.cloudflare.com/images/optimization/features/).
// An option with a counterpart becomes the recipe that the native dialect would make, so that both share one rendition. An option
// that changes no picture here is read and ignored. All other options of Cloudflare's are refused, because every cache would keep a
// picture that is not the one asked for. Options that Cloudflare does not have may be ignored, as Cloudflare does.

internal import Recipes
package import RequestGrammar
internal import SourceURLs

struct CloudflareQuery {
    /// The values by the options' full names, including `exp`.
    private(set) var given: [String: String] = [:]
    private let url: String?

    /// The options that are read, in the order of Cloudflare's document.
    static let names = [
        "anim", "background", "blur", "border", "border.bottom", "border.color", "border.left",
        "border.right",
        "border.top", "border.width", "brightness", "compression", "contrast", "dpr", "fit", "flip", "format",
        "gamma", "gravity", "height", "metadata", "onerror", "quality", "rotate", "saturation", "sharpen",
        "slow-connection-quality", "trim", "trim.border.color", "trim.border.keep", "trim.border.tolerance",
        "trim.bottom", "trim.height", "trim.left", "trim.right", "trim.top", "trim.width", "upscale", "width",
        "zoom",
    ]

    private static let shortNames = [
        "f": "format", "g": "gravity", "h": "height", "q": "quality", "scq": "slow-connection-quality",
        "w": "width", "face-zoom": "zoom",
    ]

    private static let known = Set(names)

    /// Options of Cloudflare's that have no counterpart in Pictor.
    private static let unsupported = [
        "segment": "Pictor does not tell a subject from its background.",
        "draw": "Watermarks are an option of /img.",
    ]

    /// - Parameters:
    ///   - query: a query as `CloudflareTarget` makes it.
    ///   - ignoresUnknown: true to ignore options that Cloudflare does not have.
    init(_ query: [UInt8], ignoringUnknown ignoresUnknown: Bool = false) throws(CloudflareRefusal) {
        let parameters: [QueryParameters.Parameter]
        do { parameters = try QueryParameters(query[...]).parameters } catch { throw .text(error) }
        for parameter in parameters {
            let name = Self.shortNames[parameter.name] ?? parameter.name
            // A piece without a value may be the first folder of a path whose slash a proxy has merged, so it is not ignored.
            if ignoresUnknown, parameter.value != nil, name != "url", !Self.isRead(name),
                Self.reason(against: name) == nil
            {
                continue
            }
            guard given.updateValue(parameter.value ?? "", forKey: name) == nil else {
                throw .repeated(name: parameter.name)
            }
        }
        url = given.removeValue(forKey: "url")
        for name in given.keys.sorted() where !Self.isRead(name) {
            guard let reason = Self.reason(against: name) else { throw .unknown(name: name) }
            throw .unsupported(option: name, reason: reason)
        }
    }

    private static func isRead(_ name: String) -> Bool { known.contains(name) || name == "exp" }

    /// Why an option of Cloudflare's is not read; nil for an option that is read, and for one that Cloudflare does not have.
    private static func reason(against name: String) -> String? {
        unsupported[String(name.prefix { $0 != "." })]
    }

    func request(
        _ rules: CloudflareRules, _ vocabulary: Vocabulary, _ needs: ClientNeeds = .none
    ) throws(CloudflareRefusal) -> ImageRequest {
        let source = try source(rules)
        var recipe = try recipe()
        var delivery = Delivery()
        delivery.hints = try readHints(needs, by: vocabulary.hints, &recipe)
        delivery.hasFramesToLose = recipe.losesFrames
        if given["onerror"] != nil {
            _ = try choice("onerror", ["redirect": true])
            delivery.fallback = .source
        }
        recipe.keepsDrawing = rules.keepsDrawings
        recipe = vocabulary.sized(recipe)
        var asked = ImageRequest(source: source, recipe: recipe, delivery: delivery)
        // A path belongs to the site that the settings name.
        asked.hidesSource = url?.hasPrefix("/") == true
        return asked
    }

    private func source(_ rules: CloudflareRules) throws(CloudflareRefusal) -> SourceURL {
        guard let url else { throw .noSource }
        var text = url
        if url.hasPrefix("/"), !url.hasPrefix("//") {
            guard let base = rules.base else { throw .noBase }
            text = base + url
        } else if !url.hasPrefix("http://"), !url.hasPrefix("https://") {
            throw .noURL
        }
        do { return try SourceURL.parse(text) } catch { throw .source(error) }
    }

    /// The recipe, not canonicalised yet.
    private func recipe() throws(CloudflareRefusal) -> Recipe {
        var recipe = Recipe()
        try readSize(&recipe)
        try readFit(&recipe)
        try readTurn(&recipe)
        try readCut(&recipe)
        try readColours(&recipe)
        try readFrame(&recipe)
        try readFormat(&recipe)
        try passOver()
        return recipe
    }

    /// Reads options that have no effect in Pictor; each must still be well-formed.
    private func passOver() throws(CloudflareRefusal) {
        if given["upscale"] == "generate" {
            throw .unsupported(option: "upscale=generate", reason: "Pictor enlarges by resampling only.")
        }
        _ = try choice("upscale", ["interpolate": true])
        _ = try choice("compression", ["fast": true])
        _ = try number("zoom", 0...1)
    }
}

extension ImageRequest {
    /// Parses the options and the source of `/cdn-cgi/image/…`, given as the equivalent query.
    package static func parse(
        cloudflare query: some Sequence<UInt8>, rules: CloudflareRules = .none,
        vocabulary: Vocabulary = .empty, needs: ClientNeeds = .none
    ) throws(CloudflareRefusal) -> ImageRequest {
        try CloudflareQuery(Array(query), ignoringUnknown: rules.ignoresUnknown)
            .request(rules, vocabulary, needs)
    }
}
