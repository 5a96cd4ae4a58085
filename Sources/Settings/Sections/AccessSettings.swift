// SPDX-License-Identifier: Apache-2.0

internal import RequestGrammar

extension Settings {
    /// Signed URLs.
    package struct Signatures: Sendable, Equatable {
        /// Set here or in `keysFile`; `signatureSecrets` reads both.
        package var keys = Secrets.none
        /// Path of a file; empty = none.
        package var keysFile = ""
        /// Dialects, or `all`.
        package var required: [String] = []
        /// Names of presets.
        package var freePresets: [String] = []
        /// Names of options.
        package var freeOptions: [String] = []
    }

    /// Pages that may show pictures.
    package struct Referers: Sendable, Equatable {
        /// `host` or `*.host`; empty = every page.
        package var allow: [String] = []
        /// True to answer requests with neither Referer nor Origin.
        package var allowAbsent = true
    }
}

extension Setting {
    /// Access to pictures: signatures and referrers.
    static let access: [Setting] = signatures + referers

    private static let signatures: [Setting] = [
        Setting(
            "signatures.keys", \.signatures.keys, .live,
            "Keys that sign URLs. The first is used to sign, each of them to verify. No flag; without it and signatures.keys-file, $CREDENTIALS_DIRECTORY/signature-keys (systemd) where that exists."
        ),
        Setting(
            "signatures.keys-file", \.signatures.keysFile, .live, "A file that holds the keys, one a line."),
        Setting(
            "signatures.required", \.signatures.required, .live,
            "Dialects whose URLs must be signed: all, or some of \(DialectName.list); the others answer anybody, and the log says so at the start. A signature that is wrong is refused in every dialect.",
            form: "all, or a list of \(DialectName.list)", isGuard: true,
            where: { $0.allSatisfy { $0 == DialectName.allWord || DialectName(rawValue: $0) != nil } }),
        Setting(
            "signatures.free-presets", \.signatures.freePresets, .live,
            "Presets that need no signature at the native endpoint, in a URL of url and preset alone (and exp, perhaps)."
        ),
        Setting(
            "signatures.free-options", \.signatures.freeOptions, .live,
            "Options that need no signature at the native endpoint, in a URL of url, of these and perhaps of a free preset alone, as w, h, output. options.width-ladder bounds the sizes that are made of them.",
            form: "a list of names of options, as w, h, output, and neither url nor preset",
            where: {
                $0.allSatisfy { name in
                    OptionTable.option(named: name)?.isPlain == true
                }
            }),
    ]

    private static let referers: [Setting] = [
        Setting(
            "referers.allow", \.referers.allow, .live,
            "Not empty: only pages of these hosts may show pictures, by Referer and Origin. host or *.host, which stands for the names below it. Put the rule into the CDN as well: what it holds it gives to every page.",
            isGuard: true),
        Setting(
            "referers.allow-absent", \.referers.allowAbsent, .live,
            "Answer who says neither Referer nor Origin, as apps, feeds, mail and careful browsers do."),
    ]
}
