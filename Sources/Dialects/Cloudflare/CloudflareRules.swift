// SPDX-License-Identifier: Apache-2.0

internal import Origin
internal import Settings
internal import SourceURLs

/// The configuration of the Cloudflare dialect.
package struct CloudflareRules: Sendable {
    /// The site whose paths may be sources: an absolute URL without a slash at its end; nil = paths are refused.
    let base: String?
    /// The site's host and the hosts below it, to which `onerror=redirect` may lead.
    let home: [HostPattern]
    /// True to ignore options that Cloudflare does not have.
    var ignoresUnknown = false

    /// True to pass an SVG on as SVG.
    var keepsDrawings = false

    /// The rules without a site.
    package static let none = CloudflareRules(base: nil, home: [])

    private init(base: String?, home: [HostPattern]) {
        self.base = base
        self.home = home
    }

    /// Nil if the text is no http or https URL.
    package init?(base text: String) {
        let base = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard base.contains("://"), !base.contains(where: { "?#".contains($0) }),
            let url = try? SourceURL.parse(base), url.scheme.isWeb
        else { return nil }
        self.init(base: base, home: [url.uriHost, "*.\(url.uriHost)"].compactMap(HostPattern.init))
    }

    /// - Parameter keepsDrawings: the setting `encoder.svg`.
    init(_ settings: Settings.Cloudflare, keepsDrawings: Bool) throws(UnusableSetting) {
        let base = settings.baseURL
        guard let rules = base.isEmpty ? CloudflareRules.none : CloudflareRules(base: base) else {
            throw UnusableSetting(
                description: "cloudflare.base-url: \"\(base)\" is no http or https URL")
        }
        self = rules
        self.keepsDrawings = keepsDrawings
        ignoresUnknown = settings.otherOptions == "ignore-unknown"
    }
}
