// SPDX-License-Identifier: Apache-2.0

internal import Origin
package import RequestGrammar
internal import SourceURLs

/// How a dialect's URLs say where to send a client that cannot have its picture.
package struct FallbackGrammar: Sendable {
    /// Parameters that say it; the first that is there counts.
    var names: [String]
    /// Reads the URL in one; nil for what is none.
    var parse: @Sendable (String) -> SourceURL? = { try? SourceURL.parse($0) }
    /// Their one value, which stands for the source itself; nil where they name URLs.
    var sourceWord: String?
    /// Where it leads whatever the settings of fallbacks say.
    var home: [HostPattern] = []
    /// Whether a fallback leads anywhere while the settings name no hosts.
    var isOpen = false
    /// A request whose fallback leads where it may not is refused, whether the fallback is needed or not.
    var isChecked = false

    /// URLs of the dialect name no fallback.
    package static let none = FallbackGrammar(names: [])

    /// Nil where no parameter of `names` is there, or the first of them cannot be read.
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
