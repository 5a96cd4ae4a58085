// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Origin
internal import Settings
package import SourceURLs

/// Parameters in the queries of originals that make no difference, as those that count visitors. Without them, one picture is
/// one original; keys, purges and logs know the URL without them, and so does its origin.
package struct DroppedParameters: Sendable {
    private struct Rule: Sendable {
        let places: [OriginProfile.Place]
        /// With `*` at the end for any end.
        let names: [String]

        func drops(_ name: Substring) -> Bool {
            names.contains { pattern in
                pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : name == pattern
            }
        }
    }

    /// One for each profile, so that the first that matches counts here as well.
    private let rules: [Rule]

    init(_ profiles: OriginProfiles) {
        let rules = profiles.list.map { profile in
            // Places that are none are told where the profiles are made.
            Rule(places: profile.match.compactMap(OriginProfile.Place.init), names: profile.dropped)
        }
        self.rules = rules.contains { !$0.names.isEmpty } ? rules : []
    }

    /// The URL without them; the URL itself where none is in it.
    package func removed(from url: SourceURL) -> SourceURL {
        guard !rules.isEmpty, url.scheme.isWeb, let question = url.target.firstIndex(of: "?"),
            let rule = rules.first(where: { $0.places.contains { $0.holds(url) } }), !rule.names.isEmpty
        else { return url }
        let parameters = url.target[url.target.index(after: question)...]
            .split(separator: "&", omittingEmptySubsequences: false)
        let kept = parameters.filter { !rule.drops($0.prefix { $0 != "=" }) }
        guard kept.count < parameters.count else { return url }
        let query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
        return SourceURL(
            scheme: url.scheme, host: url.host, port: url.port, target: url.target[..<question] + query)
    }
}
