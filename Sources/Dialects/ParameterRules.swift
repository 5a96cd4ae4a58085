// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Origin
internal import Settings
internal import SourceURLs

/// The profiles' rules for parameters in the queries of originals.
///
/// Some parameters make no difference, such as those that count visitors: keys, purges, logs and the origin get the URL without them.
/// Others, such as signatures, open an original and do not identify it: only its origin gets them.
struct ParameterRules: Sendable {
    private struct Rule: Sendable {
        let places: [OriginProfile.Place]
        let dropped: ParameterNames
        let unkeyed: ParameterNames
    }

    /// One rule for each profile, because the first profile that matches counts here as well; empty if none names parameters.
    private let rules: [Rule]

    init(_ profiles: OriginProfiles) {
        let rules = profiles.list.map { profile in
            // Invalid places are reported where the profiles are read.
            Rule(
                places: profile.match.compactMap(OriginProfile.Place.init),
                dropped: ParameterNames(profile.dropped), unkeyed: ParameterNames(profile.unkeyed))
        }
        self.rules = rules.contains { !$0.dropped.isEmpty || !$0.unkeyed.isEmpty } ? rules : []
    }

    /// The URL without parameters that make no difference.
    func removed(from url: SourceURL) -> SourceURL { rule(for: url)?.dropped.removed(from: url) ?? url }

    /// The URL that identifies the original; its origin gets the parameters that open it as well.
    func keyed(_ url: SourceURL) -> SourceURL {
        guard let rule = rule(for: url) else { return url }
        return rule.unkeyed.keyed(rule.dropped.removed(from: url))
    }

    private func rule(for url: SourceURL) -> Rule? {
        guard !rules.isEmpty, url.scheme.isWeb else { return nil }
        return rules.first { $0.places.contains { $0.holds(url) } }
    }
}
