// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import HTTPSemantics
internal import Origin
internal import RequestGrammar
internal import Settings
internal import Signatures
internal import SourceURLs

/// Where a URL may send a client that cannot have its picture (`default`, `errorredirect`).
///
/// The site that signs a URL says where. Of other URLs a stranger wrote every part, source and default alike; what they lead
/// to would seem to come from this daemon (an open redirect, CWE-601). So they may lead to the hosts that the settings name,
/// and to a site that a dialect's own settings name. While these name none, the endpoint of wsrv.nl's URLs sends anywhere, as
/// wsrv.nl does, and no other endpoint does. But to the place behind an alias, which is perhaps inside, it sends nobody then.
struct FallbackRule: Sendable {
    let hosts: [HostPattern]
    /// Every host.
    let allowsAll: Bool

    /// - Parameter asked: the request, whose source `default=1` leads to; nil where it cannot be read.
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
