// SPDX-License-Identifier: Apache-2.0

internal import Origin
package import RequestGrammar
internal import SourceURLs

/// How a dialect's URLs say where to redirect a client that cannot have its picture.
package struct FallbackGrammar: Sendable {
    /// The parameters for it; the first that is present counts.
    var names: [String]
    /// Reads the URL in a parameter; nil if the text is no URL.
    var parse: @Sendable (String) -> SourceURL? = { try? SourceURL.parse($0) }
    /// The parameters' only value, which stands for the source itself; nil if they name URLs.
    var sourceWord: String?
    /// Hosts to which a fallback may lead whatever the settings of fallbacks say.
    var home: [HostPattern] = []
    /// True if a fallback may lead anywhere as long as the settings name no hosts.
    var isOpen = false
    /// True if a request is refused when its fallback leads where it may not, even if the fallback is not needed.
    var isChecked = false

    /// URLs of the dialect name no fallback.
    package static let none = FallbackGrammar(names: [])

    /// The fallback in a target; nil without one of the parameters, and if the first of them cannot be read.
    package func fallback(in target: RequestTarget) -> Delivery.Fallback? {
        guard let query = target.query else { return nil }
        guard let sourceWord else {
            return Delivery.fallback(in: query, names: names, parse: parse)
        }
        guard QueryParameters.mayHold(names, in: query) else { return nil }
        let first = QueryParameters(lenient: query[...]).parameters.first { names.contains($0.name) }
        return first?.value == sourceWord ? .source : nil
    }
}
