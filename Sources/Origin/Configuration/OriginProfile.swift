// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import SourceURLs

/// How requests to some origins differ from those to others. The profile is chosen for each hop, so that a redirect takes no
/// credentials along.
package struct OriginProfile: Sendable, Hashable {
    /// A place to which a profile applies.
    package enum Place: Sendable, Hashable {
        /// A host, by https at the usual port only, so that a client cannot make credentials go to another scheme or port.
        case host(HostPattern)
        /// URL prefixes with one scheme.
        case urls(URLPrefix)

        /// Reads `shop.example`, `*.shop.example`, `https://shop.example/pictures/` or `s3://bucket/`; nil for anything else,
        /// including a URL that leaves the scheme open.
        package init?(_ text: String) {
            if text.contains("://") {
                guard let prefix = URLPrefix(text),
                    prefix.urls.allSatisfy({ $0.scheme.isWeb || $0.scheme.isStore })
                else { return nil }
                self = .urls(prefix)
            } else {
                guard let host = HostPattern(text) else { return nil }
                self = .host(host)
            }
        }

        /// True if the URL is in this place.
        package func holds(_ url: SourceURL) -> Bool {
            switch self {
            case .host: isAt(url.origin)
            case .urls(let prefix): prefix.surelyHolds(url)
            }
        }

        /// True if URLs of this origin are in this place.
        func isAt(_ origin: SourceOrigin) -> Bool {
            switch self {
            case .host(let host):
                origin.scheme == .https && origin.port == origin.scheme.defaultPort
                    && host.matches(origin.host)
            case .urls(let prefix): prefix.urls.contains { $0.origin == origin }
            }
        }

        /// True if all URLs of an origin are in this place if any is.
        var isWhole: Bool {
            switch self {
            case .host: true
            case .urls(let prefix): prefix.urls.allSatisfy { $0.target == "/" }
            }
        }

        /// A canonical text: equal texts mean the same place.
        var text: String {
            switch self {
            case .host(let host): host.text
            case .urls(let prefix): prefix.urls.map(\.absolute).joined(separator: "|")
            }
        }

        /// True if what is sent to the place is not encrypted.
        package var isInTheClear: Bool {
            if case .urls(let prefix) = self { prefix.urls.contains { $0.scheme == .http } } else { false }
        }

        /// True for a bucket or a container, to which requests are authenticated with the store's keys.
        package var isOfStore: Bool {
            if case .urls(let prefix) = self { prefix.urls.contains(where: \.scheme.isStore) } else { false }
        }

        /// A URL at which the place can be tried; nil for a pattern of hosts and for a place that is not on the web.
        package var example: SourceURL? {
            switch self {
            case .host(let host):
                host.exactName.map { SourceURL(scheme: .https, host: $0, port: 443, target: "/") }
            // Cannot trap: `urls` is never empty.
            case .urls(let prefix): isOfStore ? nil : prefix.urls[0]
            }
        }
    }

    /// The route to the profile's origins.
    package enum Route: Sendable, Hashable {
        /// The same route as to other origins.
        case usual
        /// Without a proxy.
        case direct
        case proxy(OutboundProxy)
    }

    /// The profile's name in the settings, for people.
    package let name: String
    /// The places of the profile; it applies to a URL in any of them.
    package var places: [Place]
    /// Fields that replace the fields of the same names that every request has.
    package var fields: [Fields.Field] = []
    /// The path of a PEM file with Pictor's client certificate; nil for none.
    package var certificate: String?
    /// The path of a PEM file with the certificate's key; nil if the certificate's file contains it.
    package var key: String?
    /// Certificate authorities that replace the usual ones; nil for the usual ones.
    package var authorities: AuthorityBundle?
    /// The route to the profile's origins.
    package var route = Route.usual
    /// Names of client fields that are passed on to these origins, in lower case.
    package var passed: [String] = []
    /// Query parameters that grant access to a picture but do not identify it. They are sent to the origin, but left out of keys
    /// and logs.
    package var unkeyed = ParameterNames([])
    /// True if cookies that a redirect sets are sent back to its origin within the same fetch.
    package var keepsCookies = false
    /// True if the origins' answers are for this cache only, and not for shared caches behind it.
    package var isPrivate = false
    /// Replaces the `Cache-Control` of these origins' answers; nil to use their own.
    package var rule: CacheControlRule?

    /// A profile that changes nothing for these places.
    package init(_ name: String, at places: [Place]) { (self.name, self.places) = (name, places) }

    func holds(_ url: SourceURL) -> Bool { places.contains { $0.holds(url) } }

    /// True if requests carry credentials in `Authorization`, so that a 401 refuses them (RFC 9110 §15.5.2).
    var authorizes: Bool { fields.contains { Fields.same($0.name, "Authorization") } }
}

extension [OriginProfile] {
    /// The first profile that applies to this URL; nil if none does.
    func profile(for url: SourceURL) -> OriginProfile? {
        isEmpty || url.scheme == .file ? nil : first { $0.holds(url) }
    }
}

extension OriginConfiguration {
    /// The profile that applies to this URL; nil if none does.
    func profile(for url: SourceURL) -> OriginProfile? { profiles.profile(for: url) }

    /// The URL as keys and logs have it. Its origin also gets the parameters that grant access.
    func keyed(_ url: SourceURL) -> SourceURL { profile(for: url)?.unkeyed.keyed(url) ?? url }

    /// The proxy for this host; nil if it is dialled directly.
    func proxy(for host: String, _ profile: OriginProfile?) -> OutboundProxy? {
        switch profile?.route {
        case nil, .usual: proxy(for: host)
        case .direct: nil
        case .proxy(let proxy): proxy
        }
    }

    /// True if a proxy is used for any origin.
    var usesProxy: Bool {
        proxy != nil || profiles.contains { if case .proxy = $0.route { true } else { false } }
    }
}
