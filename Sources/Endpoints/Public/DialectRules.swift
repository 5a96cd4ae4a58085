// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Recipes
package import RequestGrammar
internal import Settings
internal import SourceURLs

/// What the settings say of the dialects.
package struct DialectRules: Sendable {
    package var vocabulary: Vocabulary
    package var next: NextRules
    /// What `Accept` may choose at the Next endpoint.
    var nextFormats: AcceptClass
    /// Failures are told as wsrv.nl does.
    var tellsAsWeserv: Bool
    /// Nil: any page may show our pictures.
    package var referers: RefererRule?
    var fallbacks: FallbackRule
}

extension Settings {
    package var dialectRules: DialectRules {
        get throws(UnusableSetting) {
            DialectRules(
                vocabulary: try vocabulary, next: try nextRules, nextFormats: try nextFormats,
                tellsAsWeserv: weserv.compatibleStatus, referers: try refererRule, fallbacks: try fallbackRule
            )
        }
    }

    private var vocabulary: Vocabulary {
        get throws(UnusableSetting) {
            let names = try watermarkPlaces.keys
            let ladder = WidthLadder(
                try Self.numbers(options.widthLadder, Recipe.Length.pixelRange, "options.width-ladder"))
            do throws(Vocabulary.Mistake) {
                return try Vocabulary(presets: options.presets, watermarks: Set(names), ladder: ladder)
            } catch {
                throw UnusableSetting(description: "options.presets: \(error.description)")
            }
        }
    }

    private var nextRules: NextRules {
        get throws(UnusableSetting) {
            var rules = NextRules(
                widths: try Self.numbers(next.widths, Recipe.Length.pixelRange, "next.widths"),
                qualities: try Self.numbers(next.qualities, 1...100, "next.qualities"))
            if !next.baseURL.isEmpty {
                let base = next.baseURL.hasSuffix("/") ? String(next.baseURL.dropLast()) : next.baseURL
                guard base.contains("://"), (try? SourceURL.parse(base)) != nil else {
                    throw UnusableSetting(description: "next.base-url: \"\(base)\" is no http or https URL")
                }
                rules.base = base
            }
            return rules
        }
    }

    private static func numbers(
        _ texts: [String], _ range: ClosedRange<Int>, _ key: String
    ) throws(UnusableSetting) -> Set<Int> {
        var numbers: Set<Int> = []
        for text in texts {
            guard let number = Int(text), range.contains(number) else {
                throw UnusableSetting(
                    description:
                        "\(key): \"\(text)\" is no number from \(range.lowerBound) to \(range.upperBound)")
            }
            numbers.insert(number)
        }
        return numbers
    }

    private var nextFormats: AcceptClass {
        get throws(UnusableSetting) {
            let names: [String: AcceptClass] = ["avif": [.avif, .webpFirst], "webp": .webp]
            var formats: AcceptClass = []
            for text in next.formats {
                guard let format = names[text] else {
                    throw UnusableSetting(description: "next.formats: \"\(text)\" is neither avif nor webp")
                }
                formats.formUnion(format)
            }
            return formats
        }
    }
}
