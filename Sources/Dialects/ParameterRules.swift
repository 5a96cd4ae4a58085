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
        /// Names, with `*` at the end for any end.
        let dropped: [String]
        /// As `dropped`.
        let unkeyed: [String]
    }

    /// One for each profile, so that the first that matches counts here as well; empty if none has names.
    private let rules: [Rule]

    init(_ profiles: OriginProfiles) {
        let rules = profiles.list.map { profile in
            // Places that are none are told where the profiles are made.
            Rule(
                places: profile.match.compactMap(OriginProfile.Place.init), dropped: profile.dropped,
                unkeyed: profile.unkeyed)
        }
        self.rules = rules.contains { !$0.dropped.isEmpty || !$0.unkeyed.isEmpty } ? rules : []
    }

    /// The URL without those that make no difference.
    func removed(from url: SourceURL) -> SourceURL {
        guard let rule = rule(for: url) else { return url }
        return url.with(target: Self.target(url.target, without: rule.dropped))
    }

    /// The URL that tells the original, which its origin gets with those that open it, each in its place. Where a URL may
    /// have such parameters and has none, its origin's answer says as little of the original.
    func keyed(_ url: SourceURL) -> SourceURL {
        guard let rule = rule(for: url) else { return url }
        let sent = Self.target(url.target, without: rule.dropped)
        guard !rule.unkeyed.isEmpty else { return url.with(target: sent) }
        return url.with(target: Self.target(sent, without: rule.unkeyed, if: Self.isAlone), sentTarget: sent)
    }

    private func rule(for url: SourceURL) -> Rule? {
        guard !rules.isEmpty, url.scheme.isWeb else { return nil }
        return rules.first { $0.places.contains { $0.holds(url) } }
    }

    /// False for a parameter in which some origins see another one begin, as Rack once did at `;`. That one may tell the
    /// original, and would choose it for everybody if no key had it.
    private static func isAlone(_ parameter: Substring) -> Bool {
        !parameter.contains { $0 == ";" || $0 == "?" }
    }

    private static func target(
        _ target: String, without names: [String], if isMeant: (Substring) -> Bool = { _ in true }
    ) -> String {
        guard !names.isEmpty, let question = target.firstIndex(of: "?") else { return target }
        let parameters = target[target.index(after: question)...]
            .split(separator: "&", omittingEmptySubsequences: false)
        let kept = parameters.filter { parameter in
            let name = parameter.prefix { $0 != "=" }
            return !isMeant(parameter) || !names.contains { isNamed(name, by: $0) }
        }
        guard kept.count < parameters.count else { return target }
        let query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
        return target[..<question] + query
    }

    private static func isNamed(_ name: Substring, by pattern: String) -> Bool {
        pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : name == pattern
    }
}

extension SourceURL {
    fileprivate func with(target: String, sentTarget: String? = nil) -> SourceURL {
        SourceURL(scheme: scheme, host: host, port: port, target: target, sentTarget: sentTarget)
    }
}
