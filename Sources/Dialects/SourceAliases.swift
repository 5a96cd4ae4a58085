// SPDX-License-Identifier: Apache-2.0

internal import Settings
package import SourceURLs

/// Short names for the beginnings of URLs: where a URL names one as its host, by http or https at the usual port, the
/// beginning stands in its place. Keys, purges and logs know the URL that comes of it.
package struct SourceAliases: Sendable {
    /// Without a slash at the end, by name.
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

    /// The URL itself where its host is no alias.
    /// - Throws: if the place that the alias stands for can have no such path.
    package func resolved(_ url: SourceURL) throws(SourceURLError) -> SourceURL {
        guard let beginning = beginning(for: url) else { return url }
        return try SourceURL.parse(beginning + url.target)
    }

    /// The place that the URL's host stands for; nil where it is no alias.
    func beginning(for url: SourceURL) -> String? {
        guard !beginnings.isEmpty, url.scheme.isWeb, url.port == url.scheme.defaultPort else { return nil }
        return beginnings[url.host]
    }
}
