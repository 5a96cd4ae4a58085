// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar

extension Settings {
    /// The dialect of Cloudflare's image resizing.
    package struct Cloudflare: Sendable, Equatable {
        /// True to answer the dialect's URLs.
        package var enabled = false
        /// An absolute URL against which paths are resolved; empty to refuse sources that are paths.
        package var baseURL = ""
        /// What to do with options that Cloudflare does not have.
        package var otherOptions = "refuse"

        /// The possible values of `otherOptions`.
        static let otherOptionRules = ["refuse", "ignore-unknown"]

        /// Where the dialect's URLs begin; not a setting.
        package static let place = PathPlace("/cdn-cgi/image")
    }
}

extension Setting {
    static let cloudflare: [Setting] = [
        Setting(
            "cloudflare.enabled", \.cloudflare.enabled, .live,
            "Answer the URLs of Cloudflare's image resizing, /cdn-cgi/image/<options>/<source>."),
        Setting(
            "cloudflare.base-url", \.cloudflare.baseURL, .live,
            "The site that sources without a host are fetched from, as https://www.example.com, and that onerror=redirect may lead to; empty = such URLs are a 400."
        ),
        Setting(
            "cloudflare.other-options", \.cloudflare.otherOptions, .live,
            "What becomes of options that Cloudflare does not have: refuse is a 400; ignore-unknown passes over them, as it does.",
            form: Settings.Cloudflare.otherOptionRules.joined(separator: ", "),
            where: { Settings.Cloudflare.otherOptionRules.contains($0) }),
    ]
}
