// SPDX-License-Identifier: Apache-2.0

internal import RequestGrammar

extension Settings {
    /// Signed URLs.
    package struct Signatures: Sendable, Equatable {
        /// The keys in the settings; `signatureSecrets` also reads `keysFile`.
        package var keys = Secrets.none
        /// The path of a file with keys; empty for none.
        package var keysFile = ""
        /// Names of dialects whose URLs must be signed, or `all`.
        package var required: [String] = []
        /// Names of presets that need no signature.
        package var freePresets: [String] = []
        /// Names of options that need no signature.
        package var freeOptions: [String] = []
    }

    /// Which pages may show pictures.
    package struct Referers: Sendable, Equatable {
        /// `host` or `*.host`; empty for every page.
        package var allow: [String] = []
        /// True to answer requests without Referer and Origin.
        package var allowAbsent = true
    }
}

extension Setting {
    /// Access to pictures: signatures and referrers.
    static let access: [Setting] = signatures + referers

    private static let signatures: [Setting] = [
        Setting(
            "signatures.keys", \.signatures.keys, .live,
            "Keys that sign URLs. The first one signs, each of them verifies. No flag; without it and signatures.keys-file, $CREDENTIALS_DIRECTORY/signature-keys (systemd) where that exists."
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
            "Presets that need no signature at the native endpoint, if the URL has no options but url, preset and perhaps exp."
        ),
        Setting(
            "signatures.free-options", \.signatures.freeOptions, .live,
            "Options that need no signature at the native endpoint, as w, h, output, if the URL has no others but url, perhaps exp, and perhaps one of signatures.free-presets. options.width-ladder bounds the sizes that can be made with them.",
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
            "Hosts whose pages may show pictures, by Referer and Origin: host or *.host, which stands for the names below it. Empty = every page. Repeat the rule in the CDN, because the CDN gives what it holds to every page.",
            isGuard: true),
        Setting(
            "referers.allow-absent", \.referers.allowAbsent, .live,
            "Answer requests that have neither Referer nor Origin, as those of apps, feed readers, mail programs and careful browsers."
        ),
    ]
}
