// SPDX-License-Identifier: Apache-2.0
//
// The dialect of `/_next/image`, as Next.js' image optimizer reads it (packages/next/src/server/image-optimizer.ts):
// `url`, `w` and `q`, all required, each once.

internal import Bytes
internal import Recipes
internal import SourceURLs

/// What a configuration allows there.
package struct NextRules: Sendable {
    /// Widths that may be asked for; empty = any.
    package var widths: Set<Int>
    /// Qualities that may be asked for; empty = any.
    package var qualities: Set<Int>
    /// Where relative URLs are fetched from: an absolute URL without a slash at its end; nil = nowhere.
    package var base: String?

    package init(widths: Set<Int> = [], qualities: Set<Int> = [], base: String? = nil) {
        self.widths = widths
        self.qualities = qualities
        self.base = base
    }
}

/// Why a query is none, in Next.js' own words.
package enum NextRefusal: Error, Sendable, Hashable {
    case missing(parameter: String)
    case repeated(parameter: String)
    case notAWidth
    case notAQuality
    case notAllowed(parameter: String, value: Int)
    case sourceTooLong
    case protocolRelative
    case recursive
    case sourceNotAllowed
    case invalidSource

    package var message: String {
        switch self {
        case .missing(let name): "\(Self.label(name)) is required"
        case .repeated(let name): "\(Self.label(name)) cannot be an array"
        case .notAWidth: "\(Self.label("w")) must be an integer greater than 0"
        case .notAQuality: "\(Self.label("q")) must be an integer between 1 and 100"
        case .notAllowed(let name, let value): "\(Self.label(name)) of \(value) is not allowed"
        case .sourceTooLong: "\"url\" parameter is too long"
        case .protocolRelative: "\"url\" parameter cannot be a protocol-relative URL (//)"
        case .recursive: "\"url\" parameter cannot be recursive"
        case .sourceNotAllowed: "\"url\" parameter is not allowed"
        case .invalidSource: "\"url\" parameter is invalid"
        }
    }

    private static func label(_ name: String) -> String {
        let meanings = ["w": " (width)", "q": " (quality)"]
        return "\"\(name)\" parameter\(meanings[name] ?? "")"
    }
}

struct NextDialect {
    private let parameters: [QueryParameters.Parameter]
    private let rules: NextRules

    init(_ query: [UInt8], _ rules: NextRules) {
        parameters = QueryParameters(lenient: query[...]).parameters
        self.rules = rules
    }

    /// The format follows `Accept`. An animation stays one.
    func request() throws(NextRefusal) -> ImageRequest {
        let source = try source(of: try value("url"))
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
        recipe.pages = -1
        return ImageRequest(source: source, recipe: recipe.folded)
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
        guard text.hasPrefix("/") else { return try absolute(text) }
        let path = PercentEscape.decode(lenient: Array(text.utf8)[...].prefix { $0 != UInt8(ascii: "?") })
        let segments = String(decoding: path, as: UTF8.self) + "/"
        guard !segments.contains("/_next/image/") else { throw .recursive }
        guard let base = rules.base else { throw .sourceNotAllowed }
        return try absolute(base + text)
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
