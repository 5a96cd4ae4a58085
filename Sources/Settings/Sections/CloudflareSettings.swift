// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar

extension Settings {
    /// The dialect of Cloudflare's image resizing.
    package struct Cloudflare: Sendable, Equatable {
        /// True to answer its URLs.
        package var enabled = false
        /// An absolute URL; empty refuses sources that are paths.
        package var baseURL = ""
        /// The rule for options that Cloudflare does not have.
        package var otherOptions = "refuse"

        /// The rules, by their words.
        static let otherOptionRules = ["refuse", "ignore-unknown"]

        /// Where its URLs are; not a setting.
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
