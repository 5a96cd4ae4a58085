// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// A place that the settings name exactly, not by a pattern.
package struct NamedSource: Sendable, Hashable {
    /// A URL of the place, or one for each scheme if the settings leave the scheme open; never empty.
    package let urls: [SourceURL]

    /// A place with one scheme.
    package init(_ url: SourceURL) { urls = [url] }

    fileprivate init(_ urls: [SourceURL]) { self.urls = urls }

    /// The host, as in `SourceURL.host`. Cannot trap: `urls` is never empty.
    package var host: String { urls[0].host }

    /// The place's name, without a scheme if the scheme is open: `https://images.example`, `images.example`.
    package var name: String {
        let origin = urls[0].origin.description
        return urls.count == 1 ? origin : String(origin.drop { $0 != "/" }.drop { $0 == "/" })
    }

    /// Each origin once, in this order: a place is left out if an earlier one has its origins.
    package static func distinct(_ sources: [NamedSource]) -> [NamedSource] {
        var seen: Set<SourceOrigin> = []
        return sources.filter { source in
            let origins = source.urls.map(\.origin)
            defer { seen.formUnion(origins) }
            return !seen.isSuperset(of: origins)
        }
    }
}

extension SourcePolicy {
    /// The places that the lists of permitted sources name exactly.
    package var namedSources: [NamedSource] {
        let hosts = allowedHosts.compactMap(\.exactName).map { host in
            NamedSource(
                [.https, .http].map { (scheme: SourceURL.Scheme) in
                    SourceURL(scheme: scheme, host: host, port: scheme.defaultPort, target: "/")
                })
        }
        return hosts + allowedURLs.map { NamedSource($0.urls) }
    }
}
