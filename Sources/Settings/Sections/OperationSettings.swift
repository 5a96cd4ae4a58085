// SPDX-License-Identifier: Apache-2.0

internal import RequestGrammar

extension Settings {
    /// A dialect of operations: thumbor's or imagor's.
    package struct Operations: Sendable, Equatable {
        /// True to answer its URLs.
        package var enabled = false
        /// Where its URLs are.
        package var path: String
        /// By which they are signed.
        package var keys = PlainKeys.none
        /// A file that holds the keys.
        package var keysFile = ""
        /// True to answer unsigned URLs although there are keys.
        package var unsafe = false
        /// An absolute URL; empty = pictures' names begin with a host.
        package var baseURL = ""
        /// `http` or `https`, of such a name.
        package var scheme: String
        /// `avif` and `webp`; their order does not count.
        package var autoFormats: [String] = []
        /// The rule for filters that are not made.
        package var otherFilters = "refuse"
        /// The hash of imagor's signatures: `sha1`, `sha256` or `sha512`.
        package var signer = "sha1"
        /// Characters of imagor's signatures; 0 = all.
        package var truncate = 0

        /// Takes what the two have different defaults of.
        package init(path: String, scheme: String) { (self.path, self.scheme) = (path, scheme) }
    }

    /// The rules of an operations dialect for filters that it does not make, by their words.
    package static let otherFilters = ["refuse", "ignore-unknown", "ignore"]
}

/// The settings of one dialect of operations.
private struct OperationPaths: Sendable {
    typealias Path<Value> = any WritableKeyPath<Settings, Value> & Sendable

    let group: String
    /// The service's name of its key.
    let keyName: String
    /// The service's name of the permission for unsigned URLs.
    let unsafeName: String
    let enabled: Path<Bool>
    let path: Path<String>
    let keys: Path<PlainKeys>
    let keysFile: Path<String>
    let unsafe: Path<Bool>
    let baseURL: Path<String>
    let scheme: Path<String>
    let autoFormats: Path<[String]>
    let otherFilters: Path<String>

    var settings: [Setting] {
        [
            Setting("\(group).enabled", enabled, "Answer \(group)'s URLs."),
            Setting(
                "\(group).path", path, "Where its URLs are; / leaves Pictor's own paths alone.",
                form: PathPlace.form, where: { PathPlace($0) != nil }),
            Setting(
                "\(group).keys", keys,
                "Keys of its URLs, there \(keyName). The first signs, each of them verifies. No flag; without it and \(group).keys-file, $CREDENTIALS_DIRECTORY/\(group)-keys (systemd) where that exists.",
                isGuard: true),
            Setting(
                "\(group).keys-file", keysFile, "A file that holds the keys, one a line.", isGuard: true),
            Setting(
                "\(group).unsafe", unsafe,
                "Answer URLs that begin with unsafe/ although there are keys, as \(unsafeName) does there. Without keys they are answered, unless signatures.required names \(group)."
            ),
            Setting(
                "\(group).base-url", baseURL,
                "The site that pictures without http:// or https:// are fetched from, as https://www.example.com; empty = their names begin with a host."
            ),
            Setting(
                "\(group).scheme", scheme, "The scheme of names that begin with a host.",
                form: "http or https", where: { ["http", "https"].contains($0) }),
            Setting(
                "\(group).auto-formats", autoFormats,
                "Formats that Accept may choose where no filter names one: avif, webp, jxl; empty = the source's own."
            ),
            Setting(
                "\(group).other-filters", otherFilters,
                "What becomes of filters that are not made: refuse is a 400; ignore-unknown passes over names and arguments that \(group) does not know, as it does; ignore also what Pictor lacks.",
                form: Settings.otherFilters.joined(separator: ", "),
                where: { Settings.otherFilters.contains($0) }),
        ]
    }
}

extension Setting {
    static let thumbor =
        OperationPaths(
            group: "thumbor", keyName: "SECURITY_KEY", unsafeName: "ALLOW_UNSAFE_URL",
            enabled: \.thumbor.enabled, path: \.thumbor.path, keys: \.thumbor.keys,
            keysFile: \.thumbor.keysFile, unsafe: \.thumbor.unsafe, baseURL: \.thumbor.baseURL,
            scheme: \.thumbor.scheme, autoFormats: \.thumbor.autoFormats,
            otherFilters: \.thumbor.otherFilters
        ).settings

    static let imagor =
        OperationPaths(
            group: "imagor", keyName: "IMAGOR_SECRET", unsafeName: "IMAGOR_UNSAFE",
            enabled: \.imagor.enabled, path: \.imagor.path, keys: \.imagor.keys,
            keysFile: \.imagor.keysFile, unsafe: \.imagor.unsafe, baseURL: \.imagor.baseURL,
            scheme: \.imagor.scheme, autoFormats: \.imagor.autoFormats,
            otherFilters: \.imagor.otherFilters
        ).settings + [
            Setting(
                "imagor.signer", \.imagor.signer,
                "The hash of its signatures, there IMAGOR_SIGNER_TYPE.", form: "sha1, sha256 or sha512",
                where: { ["sha1", "sha256", "sha512"].contains($0) }),
            Setting(
                "imagor.signer-truncate", \.imagor.truncate,
                "Characters of its signatures, there IMAGOR_SIGNER_TRUNCATE; 0 = all.",
                form: "0, or 20 to 88", where: { $0 == 0 || (20...88).contains($0) }),
        ]
}
