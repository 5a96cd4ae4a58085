// SPDX-License-Identifier: Apache-2.0
//
// The query of `/_next/image`, as Next.js' image optimizer reads it (packages/next/src/server/image-optimizer.ts):
// `url`, `w` and `q`, all required, each once.

internal import Bytes
internal import Recipes
package import RequestGrammar
internal import SourceURLs

struct NextQuery {
    private let parameters: [QueryParameters.Parameter]
    private let rules: NextRules

    init(_ query: [UInt8], _ rules: NextRules) {
        parameters = QueryParameters(lenient: query[...], urls: ["url"]).parameters
        self.rules = rules
    }

    /// The request. The format follows `Accept`, and an animation stays animated.
    func request() throws(NextRefusal) -> ImageRequest {
        let url = try value("url")
        let source = try source(of: url)
        let width = try number(try value("w"), orElse: .notAWidth)
        let quality = try number(try value("q"), orElse: .notAQuality)
        guard rules.widths.isEmpty || rules.widths.contains(width) else {
            throw .notAllowed(parameter: "w", value: width)
        }
        guard (1...100).contains(quality) else { throw .notAQuality }
        guard rules.qualities.isEmpty || rules.qualities.contains(quality) else {
            throw .notAllowed(parameter: "q", value: quality)
        }
        var recipe = Recipe()
        recipe.width = .pixels(min(width, Recipe.Length.pixelRange.upperBound))
        recipe.quality = .number(quality)
        recipe.output = .auto
        recipe.keepsDrawing = rules.keepsDrawings
        recipe.pages = -1
        var delivery = Delivery()
        delivery.isAttachment = rules.isAttachment
        if !FileName.give(lastOf: source, to: &delivery) { delivery.filename = "image" }
        var asked = ImageRequest(source: source, recipe: recipe.canonicalised, delivery: delivery)
        asked.terms.passed = rules.passed
        // A path belongs to the site that the settings name.
        asked.hidesSource = url.hasPrefix("/")
        return asked
    }

    private func value(_ name: String) throws(NextRefusal) -> String {
        let found = parameters.filter { $0.name == name }
        guard let value = found.first?.value, !value.isEmpty else { throw .missing(parameter: name) }
        guard found.count == 1 else { throw .repeated(parameter: name) }
        return value
    }

    private func number(_ text: String, orElse refusal: NextRefusal) throws(NextRefusal) -> Int {
        guard text.utf8.allSatisfy(\.isASCIIDigit), let number = Int(text), number > 0 else { throw refusal }
        return number
    }

    private func source(of text: String) throws(NextRefusal) -> SourceURL {
        guard text.utf8.count <= 3_072 else { throw .sourceTooLong }
        guard !text.hasPrefix("//") else { throw .protocolRelative }
        guard text.hasPrefix("/") else { return try absolute(Self.trimmed(text)) }
        let path = PercentEscape.decode(lenient: Array(text.utf8)[...].prefix { $0 != UInt8(ascii: "?") })
        let segments = String(decoding: path, as: UTF8.self) + "/"
        guard !NextDialect.paths.contains(where: { segments.contains("\($0)/") }) else { throw .recursive }
        guard let base = rules.base else { throw .sourceNotAllowed }
        return try absolute(base + text)
    }

    /// As the URL parser of WHATWG does: without control characters and blanks at both ends, and without tabs and line ends anywhere.
    private static func trimmed(_ text: String) -> String {
        let bytes = text.utf8.filter { ![0x09, 0x0A, 0x0D].contains($0) }.drop { $0 <= 0x20 }
        let end = bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? bytes.startIndex
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    private func absolute(_ text: String) throws(NextRefusal) -> SourceURL {
        let scheme = text.prefix(8).lowercased()
        guard scheme.hasPrefix("http://") || scheme == "https://", let source = try? SourceURL.parse(text)
        else {
            throw .invalidSource
        }
        return source
    }
}

extension ImageRequest {
    /// Parses the query of `/_next/image`, as Next.js reads it, without the question mark.
    package static func parse(
        next query: some Sequence<UInt8>, rules: NextRules
    ) throws(NextRefusal) -> ImageRequest {
        try NextQuery(Array(query), rules).request()
    }
}
