// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import SourceURLs

/// How some origins are asked, unlike all others. It is chosen anew for each hop, so that a redirect takes no credentials
/// along.
package struct OriginProfile: Sendable, Hashable {
    /// Where it counts.
    package enum Place: Sendable, Hashable {
        /// By https at the usual port: credentials do not follow a client who asks for another.
        case host(HostPattern)
        /// URLs of one scheme.
        case urls(URLPrefix)

        /// Reads `shop.example`, `*.shop.example`, `https://shop.example/pictures/` or `s3://bucket/`; nil for anything else,
        /// also for a URL that leaves the scheme open.
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

        /// True if the URL lies there.
        package func holds(_ url: SourceURL) -> Bool {
            switch self {
            case .host(let host):
                url.scheme == .https && url.port == url.scheme.defaultPort && host.matches(url.host)
            case .urls(let prefix): prefix.surelyHolds(url)
            }
        }

        /// Equal texts mean the same place.
        var text: String {
            switch self {
            case .host(let host): host.text
            case .urls(let prefix): prefix.urls.map(\.absolute).joined(separator: "|")
            }
        }

        /// True where what is sent can be read on its way.
        package var isInTheClear: Bool {
            if case .urls(let prefix) = self { prefix.urls.contains { $0.scheme == .http } } else { false }
        }

        /// True for a bucket or a container, which is asked by the keys of its store.
        package var isOfStore: Bool {
            if case .urls(let prefix) = self { prefix.urls.contains(where: \.scheme.isStore) } else { false }
        }

        /// A URL at which it can be tried; nil for a pattern of hosts, and for what is no place of the web.
        package var example: SourceURL? {
            switch self {
            case .host(let host):
                host.exactName.map { SourceURL(scheme: .https, host: $0, port: 443, target: "/") }
            // Cannot trap: never empty.
            case .urls(let prefix): isOfStore ? nil : prefix.urls[0]
            }
        }
    }

    /// How its origins are reached.
    package enum Route: Sendable, Hashable {
        /// As all others are.
        case usual
        /// Without a proxy.
        case direct
        case proxy(OutboundProxy)
    }

    /// As the settings call it, for people.
    package let name: String
    /// Any of them.
    package var places: [Place]
    /// In place of those of the same name that every request has.
    package var fields: [Fields.Field] = []
    /// Path of a PEM file with the certificate that is shown; nil for none.
    package var certificate: String?
    /// Path of a PEM file with its key; nil where the certificate's file holds it.
    package var key: String?
    /// In place of those that vouch for others; nil for the same.
    package var authorities: AuthorityBundle?
    /// How its origins are reached.
    package var route = Route.usual
    /// Names of fields of clients' requests that its origins are told, in lower case.
    package var passed: [String] = []
    /// Parameters that open a picture and do not tell which one it is: its origin alone gets them.
    package var unkeyed = ParameterNames([])
    /// True if cookies that a redirect sets are sent to its origin again, within one fetch.
    package var keepsCookies = false
    /// True if what they answer is for this cache, and for no shared cache behind it.
    package var isPrivate = false
    /// In place of what its origins say of keeping their answers; nil for their own words.
    package var rule: CacheControlRule?

    /// A profile that changes nothing at these places.
    package init(_ name: String, at places: [Place]) { (self.name, self.places) = (name, places) }

    func holds(_ url: SourceURL) -> Bool { places.contains { $0.holds(url) } }

    /// True if its origins are shown credentials in the field to which a 401 is the answer (RFC 9110 §15.5.2).
    var authorizes: Bool { fields.contains { Fields.same($0.name, "Authorization") } }
}

extension [OriginProfile] {
    /// The first that counts for this URL; nil for none.
    func profile(for url: SourceURL) -> OriginProfile? {
        isEmpty || url.scheme == .file ? nil : first { $0.holds(url) }
    }
}

extension OriginConfiguration {
    /// The profile that counts for this URL; nil for none.
    func profile(for url: SourceURL) -> OriginProfile? { profiles.profile(for: url) }

    /// The URL as keys and logs know it, which its origin gets with the parameters that open it.
    func keyed(_ url: SourceURL) -> SourceURL { profile(for: url)?.unkeyed.keyed(url) ?? url }

    /// The proxy that this URL is asked through; nil if its host is dialled.
    func proxy(for url: SourceURL, _ profile: OriginProfile?) -> OutboundProxy? {
        switch profile?.route {
        case nil, .usual: proxy(for: url.host)
        case .direct: nil
        case .proxy(let proxy): proxy
        }
    }

    /// True if any origin is asked through a proxy.
    var usesProxy: Bool {
        proxy != nil || profiles.contains { if case .proxy = $0.route { true } else { false } }
    }
}
