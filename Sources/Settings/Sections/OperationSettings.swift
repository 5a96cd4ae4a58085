// SPDX-License-Identifier: Apache-2.0

internal import RequestGrammar

extension Settings {
    /// A dialect whose URLs list operations: thumbor's or imagor's.
    package struct Operations: Sendable, Equatable {
        /// True to answer the dialect's URLs.
        package var enabled = false
        /// Where the dialect's URLs begin.
        package var path: String
        /// The keys that sign the URLs.
        package var keys = PlainKeys.none
        /// The path of a file with the keys.
        package var keysFile = ""
        /// True to answer unsigned URLs even if there are keys.
        package var unsafe = false
        /// An absolute URL against which sources are resolved; empty if a source begins with a host.
        package var baseURL = ""
        /// The scheme of sources that begin with a host: `http` or `https`.
        package var scheme: String
        /// `avif` and `webp`, in any order.
        package var autoFormats: [String] = []
        /// What to do with filters that Pictor does not implement.
        package var otherFilters = "refuse"
        /// The hash of imagor's signatures: `sha1`, `sha256` or `sha512`.
        package var signer = "sha1"
        /// The number of characters to which imagor's signatures are cut; 0 for all.
        package var truncate = 0

        /// Takes the properties whose defaults differ between the two dialects.
        package init(path: String, scheme: String) { (self.path, self.scheme) = (path, scheme) }
    }

    /// The possible values of `otherFilters`.
    package static let otherFilters = ["refuse", "ignore-unknown", "ignore"]
}

extension Setting {
    static let thumbor = operations(
        "thumbor", \.thumbor, keyName: "SECURITY_KEY", unsafeName: "ALLOW_UNSAFE_URL")

    static let imagor =
        operations("imagor", \.imagor, keyName: "IMAGOR_SECRET", unsafeName: "IMAGOR_UNSAFE") + [
            Setting(
                "imagor.signer", \.imagor.signer, .live,
                "The hash of imagor's signatures, its IMAGOR_SIGNER_TYPE.", form: "sha1, sha256 or sha512",
                where: { ["sha1", "sha256", "sha512"].contains($0) }),
            Setting(
                "imagor.signer-truncate", \.imagor.truncate, .live,
                "Characters of imagor's signatures, its IMAGOR_SIGNER_TRUNCATE; 0 = all.",
                form: "0, or 20 to 88", where: { $0 == 0 || (20...88).contains($0) }),
        ]

    /// The rows of either dialect.
    /// - Parameters:
    ///   - keyName: what the service calls its key.
    ///   - unsafeName: what the service calls the permission for unsigned URLs.
    private static func operations(
        _ group: String, _ own: Path<Settings, Settings.Operations>, keyName: String, unsafeName: String
    ) -> [Setting] {
        [
            Setting("\(group).enabled", own, \.enabled, .live, "Answer \(group)'s URLs."),
            Setting(
                "\(group).path", own, \.path, .live,
                "The path below which \(group)'s URLs are answered; at / Pictor's own paths stay as they are.",
                form: PathPlace.form, where: { PathPlace($0) != nil }),
            Setting(
                "\(group).keys", own, \.keys, .live,
                "Keys that sign \(group)'s URLs, there \(keyName). The first signs, each of them verifies. No flag; without it and \(group).keys-file, $CREDENTIALS_DIRECTORY/\(group)-keys (systemd) where that exists.",
                isGuard: true),
            Setting(
                "\(group).keys-file", own, \.keysFile, .live, "A file that holds the keys, one a line.",
                isGuard: true),
            Setting(
                "\(group).unsafe", own, \.unsafe, .live,
                "Answer URLs that begin with unsafe/ although there are keys, as \(unsafeName) does there. Without keys they are answered, unless signatures.required names \(group)."
            ),
            Setting(
                "\(group).base-url", own, \.baseURL, .live,
                "The site that pictures without http:// or https:// are fetched from, as https://www.example.com; empty = their names begin with a host."
            ),
            Setting(
                "\(group).scheme", own, \.scheme, .live, "The scheme of names that begin with a host.",
                form: "http or https", where: { ["http", "https"].contains($0) }),
            Setting(
                "\(group).auto-formats", own, \.autoFormats, .live,
                "Formats that Accept may choose where no filter names one: avif, webp, jxl; empty = the source's own."
            ),
            Setting(
                "\(group).other-filters", own, \.otherFilters, .live,
                "What becomes of filters that are not made: refuse is a 400; ignore-unknown passes over names and arguments that \(group) does not know, as it does; ignore also what Pictor lacks.",
                form: Settings.otherFilters.joined(separator: ", "),
                where: { Settings.otherFilters.contains($0) }),
        ]
    }
}
