// SPDX-License-Identifier: Apache-2.0

package import Answers
internal import Clients
package import Dialects
package import HTTPCaching
package import HTTPSemantics
internal import RequestGrammar
internal import Settings
package import Signatures
internal import SourceURLs

/// The rules of the public listener, from the settings.
package struct PublicRules: Sendable {
    /// The dialects of the URLs that are served.
    package var dialects: Dialects
    /// Nil if pages of all sites may show our pictures.
    package var referers: RefererRule?
    /// The pages whose scripts may read the answers.
    package var crossOrigin: CrossOriginRule
    /// The rule for signed and unsigned URLs.
    package var signatures: SignatureRule
    /// The bounds on clients' caches, by the original's host.
    package var lifetimes: ClientLifetimes
    /// Requests with this token may use `Cache-Control`, and count as signed; nil if none may.
    package var token: AdminToken?
    /// Nil if clients are not limited.
    package var limits: ClientLimits?
    /// Bits of an IPv6 address that identify a client.
    package var clientPrefix: Int
    /// The fields of clients' requests that origins get.
    package var passedFields = PassedFieldRules(OriginProfiles())
    /// How the fallback picture is sent; nil without one.
    package var fallback: FallbackPolicy?
    /// Nil if the playground is off.
    package var playground: Playground?
    /// Nil if probes are answered at the admin listener only.
    package var probes: ProbeAnswers?

    /// When these rules replaced others, under which a URL may have meant another picture; nil for the rules of the start.
    package var since: Timestamp?

    /// The playground is left out; `clientPrefix` is in bits.
    package init(
        dialects: Dialects, referers: RefererRule?, crossOrigin: CrossOriginRule, signatures: SignatureRule,
        lifetimes: ClientLifetimes, token: AdminToken?, limits: ClientLimits?, clientPrefix: Int
    ) {
        self.dialects = dialects
        self.referers = referers
        self.crossOrigin = crossOrigin
        self.signatures = signatures
        self.lifetimes = lifetimes
        self.token = token
        self.limits = limits
        self.clientPrefix = clientPrefix
    }

    /// The bounds on the lifetime for clients: the bounds for the original's host, narrowed to `maxage` and to the URL's expiry.
    func policy(for asked: ImageRequest) -> ClientPolicy {
        var bounds = lifetimes.policy(for: asked.source.host)
        bounds.end = asked.delivery.expiry.map(Timestamp.init(seconds:))
        guard let wanted = asked.delivery.maxAge else { return bounds }
        let granted = min(max(Int32(clamping: wanted), bounds.minimumLifetime), bounds.maximumLifetime)
        (bounds.minimumLifetime, bounds.maximumLifetime) = (granted, granted)
        return bounds
    }

    /// The client's key for limits and quotas; nil on a unix socket.
    func key(of peer: PeerAddress) -> ClientKey? { ClientKey(peer, prefix: clientPrefix) }
}
