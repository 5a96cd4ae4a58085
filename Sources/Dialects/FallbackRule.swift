// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Origin
internal import RequestGrammar
internal import Settings
internal import Signatures
internal import SourceURLs

/// Where a URL may redirect a client that cannot have its picture (`default`, `errorredirect`).
///
/// In a signed URL it may lead anywhere, because the site that signs it decides. An unsigned URL was wholly written by a stranger,
/// both source and default, and its target would seem to come from this daemon (an open redirect, CWE-601). So it may lead only to
/// the hosts that the settings name, and to the site in a dialect's own settings. If the settings name no hosts, the dialect of
/// wsrv.nl redirects anywhere, as wsrv.nl does, and no other dialect redirects. But even then it does not redirect to a source that
/// the request hides, such as the place behind an alias, which may be internal.
struct FallbackRule: Sendable {
    let hosts: [HostPattern]
    /// True if every host is allowed.
    let allowsAll: Bool

    /// - Parameter asked: the request, to whose source `default=1` leads; nil if it cannot be read.
    func allows(
        _ fallback: Delivery.Fallback, of asked: ImageRequest?, _ grammar: FallbackGrammar,
        _ ground: SignatureRule.Admission.Ground
    ) -> Bool {
        if ground == .signed || allowsAll { return true }
        let wouldTellPlace = fallback == .source && asked?.hidesSource == true
        if grammar.isOpen, hosts.isEmpty, !wouldTellPlace { return true }
        let target: SourceURL? =
            switch fallback {
            case .url(let url): url
            case .source: asked?.source
            }
        return target.map { url in (hosts + grammar.home).contains { $0.matches(url.host) } } ?? false
    }

    static let refusal = ErrorResponse(
        .badParameter,
        "The parameter default leads to a host that options.default-hosts does not name; in a signed URL it may lead anywhere."
    )
}

extension Settings {
    var fallbackRule: FallbackRule {
        get throws(UnusableSetting) {
            let named = options.defaultHosts.filter { $0 != "*" }
            return FallbackRule(
                hosts: try HostPatterns.read(named, "options.default-hosts"),
                allowsAll: named.count < options.defaultHosts.count)
        }
    }
}
