// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Origin
internal import Settings
internal import SourceURLs

/// What the profiles say of parameters in the queries of originals.
///
/// Some make no difference, as those that count visitors: keys, purges and logs know the URL without them, and so does its
/// origin. Others open an original and do not tell which one it is, as those of a signature: its origin alone gets them.
struct ParameterRules: Sendable {
    private struct Rule: Sendable {
        let places: [OriginProfile.Place]
        let dropped: ParameterNames
        let unkeyed: ParameterNames
    }

    /// One for each profile, so that the first that matches counts here as well; empty if none has names.
    private let rules: [Rule]

    init(_ profiles: OriginProfiles) {
        let rules = profiles.list.map { profile in
            // Places that are none are told where the profiles are made.
            Rule(
                places: profile.match.compactMap(OriginProfile.Place.init),
                dropped: ParameterNames(profile.dropped), unkeyed: ParameterNames(profile.unkeyed))
        }
        self.rules = rules.contains { !$0.dropped.isEmpty || !$0.unkeyed.isEmpty } ? rules : []
    }

    /// The URL without those that make no difference.
    func removed(from url: SourceURL) -> SourceURL { rule(for: url)?.dropped.removed(from: url) ?? url }

    /// The URL that tells the original, which its origin gets with those that open it.
    func keyed(_ url: SourceURL) -> SourceURL {
        guard let rule = rule(for: url) else { return url }
        return rule.unkeyed.keyed(rule.dropped.removed(from: url))
    }

    private func rule(for url: SourceURL) -> Rule? {
        guard !rules.isEmpty, url.scheme.isWeb else { return nil }
        return rules.first { $0.places.contains { $0.holds(url) } }
    }
}
