// SPDX-License-Identifier: Apache-2.0

internal import Settings
internal import SourceURLs

/// Short names for the beginnings of URLs. If a URL names an alias as its host, by http or https at the default port, the beginning
/// replaces that host. Keys, purges and logs use the resulting URL.
struct SourceAliases: Sendable {
    /// The beginnings by their names, without a slash at the end.
    private let beginnings: [String: String]

    init(_ places: NamedPlaces) throws(UnusableSetting) {
        var (beginnings, mistakes): ([String: String], [String]) = ([:], [])
        for (name, place) in places.list {
            let beginning = place.hasSuffix("/") ? String(place.dropLast()) : place
            let url = try? SourceURL.parse(beginning, isPrefix: true)
            let isHost = (try? SourceURL.parse("http://\(name)/"))?.host == name
            if url == nil || beginning.contains(where: { "?#".contains($0) }) || !isHost {
                mistakes.append(
                    "origin.aliases: \"\(name)=\(place)\" is no name=s3://bucket, name=azure://container or name=https://host/path"
                )
            }
            beginnings[name] = beginning
        }
        guard mistakes.isEmpty else { throw UnusableSetting(mistakes) }
        self.beginnings = beginnings
    }

    /// The URL with its alias resolved; the URL itself if its host is no alias.
    /// - Throws: if such a path is not possible at the place that the alias stands for.
    func resolved(_ url: SourceURL) throws(SourceURLError) -> SourceURL {
        guard let beginning = beginning(for: url) else { return url }
        return try SourceURL.parse(beginning + url.target)
    }

    /// The beginning that the URL's host stands for; nil if the host is no alias.
    func beginning(for url: SourceURL) -> String? {
        guard !beginnings.isEmpty, url.scheme.isWeb, url.port == url.scheme.defaultPort else { return nil }
        return beginnings[url.host]
    }
}
