// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Operator
import RequestGrammar
import Settings

struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Say what is held for a picture, how fresh it is, and what a request for it would get now, and why.",
        discussion: "Prints the daemon's JSON.")

    @Argument(
        help: "A source URL; or a request: the URL of an /img?url=…&w=…, or any other's from its path on.")
    var url: String

    @Option(help: "Options of the picture, as in a query: \"w=300&output=auto\".") var options = ""
    @Option(help: "The client's Accept field, by which output=auto chooses.") var accept = ""
    @OptionGroup var settings: SettingsArguments

    func validate() throws {
        if let stray = SettingFlags.stray(in: settings.settings) {
            throw ValidationError(
                "\"\(stray.prefix { $0 != "=" })\" is no flag. Options of the picture go into --options, as --options 'w=300&h=200'."
            )
        }
        try validateAccept(accept)
    }

    func run() async throws {
        settings.adoptUnit()
        let settings = try settings.loadForDaemon()
        let service = try CacheService.open(settings, disk: settings.diskConfiguration)
        let explanation = try service.explain(query: Self.query(of: url, options: options), accept: accept)
        print(explanation, terminator: "")
    }

    /// The query for the daemon's explanation. A request of `/img` gives its own query; a request of another endpoint, or of
    /// `/img` with a name behind it, becomes `target=`; a source URL, which has a scheme or a host before its path, becomes
    /// `url=`.
    static func query(of url: String, options: String = "") -> String {
        let named = named(url)
        if named == nil, let query = plainQuery(of: url) {
            return query + (options.isEmpty ? "" : "&\(options)")
        }
        let escaped = QueryText.escape(name: named.map { $0 + (options.isEmpty ? "" : "&\(options)") } ?? url)
        guard named == nil else { return "target=" + escaped }
        return (url.hasPrefix("/") && !url.hasPrefix("//") ? "target=" : "url=") + escaped
            + (options.isEmpty ? "" : "&\(options)")
    }

    /// A request of `/img` with a name behind it, from its path on; nil for anything else. The query must name a source, because
    /// a source URL may have the same path.
    private static func named(_ url: String) -> String? {
        guard let path = url.firstRange(of: "/img/") else { return nil }
        let name = url[path.upperBound...].prefix { $0 != "?" }
        guard !name.contains("/"), hasSource(url[name.endIndex...].dropFirst()) else { return nil }
        return String(url[path.lowerBound...])
    }

    /// The query of a request of `/img` that begins with its path or its scheme; nil for anything else. The query must name a source,
    /// because a source URL, and the source within a request of another endpoint, may have the same path.
    private static func plainQuery(of url: String) -> String? {
        guard let path = url.firstRange(of: "/img?"), path.lowerBound == url.startIndex || !url.hasPrefix("/")
        else { return nil }
        let query = url[path.upperBound...]
        return hasSource(query) ? String(query) : nil
    }

    private static func hasSource(_ query: Substring) -> Bool {
        query.split(separator: "&").contains { $0.hasPrefix("url=") || $0.hasPrefix("url64=") }
    }
}
