// SPDX-License-Identifier: Apache-2.0

internal import RequestGrammar

extension Settings {
    /// The dialect of imgproxy.
    package struct Imgproxy: Sendable, Equatable {
        /// True to answer the dialect's URLs.
        package var enabled = false
        /// Where the dialect's URLs begin, as `PathPlace` reads it.
        package var path = "/"
        /// The keys in the settings; `imgproxySecrets` also reads `keysFile`.
        package var keys = HexPairs.none
        /// The path of a file with keys; empty for none.
        package var keysFile = ""
        /// Bytes of a signature, 1…32.
        package var signatureSize = 32
        /// Path segments that are accepted in place of a signature.
        package var trustedSignatures = SecretWords.none
        /// The key in the settings; `imgproxyEncryptionKey` also reads `encryptionKeyFile`.
        package var encryptionKey = HexKey.none
        /// The path of a file with the key; empty for none.
        var encryptionKeyFile = ""
        /// The character between arguments.
        package var argumentsSeparator = ":"
        /// Presets as `name=option/option`.
        package var presets: [String] = []
        /// True if URLs may only name presets.
        package var onlyPresets = false
        /// A text that is put before sources; may be empty.
        package var baseURL = ""
        /// True if a file name follows a source in base64.
        package var base64Filename = false
        /// The name of a watermark in `options.watermarks`; empty for none.
        package var watermark = ""
        /// `avif` and `webp`, in any order.
        package var autoFormats: [String] = []
        /// True if `autoFormats` also apply to URLs that name a format.
        package var enforceAutoFormats = false
        /// Formats in the order of preference; not empty.
        package var preferredFormats = ["jpeg", "png", "gif"]
        /// True to take values that the URL leaves out from client hints.
        package var clientHints = false
    }
}

extension Setting {
    static let imgproxy: [Setting] = [
        Setting(
            "imgproxy.enabled", \.imgproxy.enabled, .live,
            "Answer the URLs of imgproxy, /<signature>/<options>/<source>."),
        Setting(
            "imgproxy.path", \.imgproxy.path, .live,
            "The path below which imgproxy's URLs are answered: / or a path before them, as IMGPROXY_PATH_PREFIX. No other dialect that is on may have the same.",
            form: PathPlace.form, where: { PathPlace($0) != nil }),
        Setting(
            "imgproxy.keys", \.imgproxy.keys, .live,
            "IMGPROXY_KEY and IMGPROXY_SALT as key:salt, several with commas; the first signs, each of them verifies. If there is one, every URL must be signed. No flag; without it and imgproxy.keys-file, $CREDENTIALS_DIRECTORY/imgproxy-keys (systemd) where that exists.",
            isGuard: true),
        Setting(
            "imgproxy.keys-file", \.imgproxy.keysFile, .live, "A file that holds these pairs, one a line.",
            isGuard: true),
        .number(
            "imgproxy.signature-size", \.imgproxy.signatureSize, .live, 1...32,
            "Bytes of a signature, as IMGPROXY_SIGNATURE_SIZE. Fewer than 16 can be guessed."),
        Setting(
            "imgproxy.trusted-signatures", \.imgproxy.trustedSignatures, .live,
            "Words that are as good as a signature of any URL, as IMGPROXY_TRUSTED_SIGNATURES. No flag."),
        Setting(
            "imgproxy.encryption-key", \.imgproxy.encryptionKey, .live,
            "IMGPROXY_SOURCE_URL_ENCRYPTION_KEY: sources may be encrypted by it, /<signature>/<options>/enc/<source>. Needs imgproxy.keys, because the answers to changed URLs would otherwise tell what is encrypted. No flag; without it and its file, $CREDENTIALS_DIRECTORY/imgproxy-encryption-key (systemd) where that exists."
        ),
        Setting(
            "imgproxy.encryption-key-file", \.imgproxy.encryptionKeyFile, .live, "A file that holds this key."
        ),
        Setting(
            "imgproxy.arguments-separator", \.imgproxy.argumentsSeparator, .live,
            "What stands between an option and its arguments, as IMGPROXY_ARGUMENTS_SEPARATOR.",
            form: "one character, and none of letters, digits, / ? # % . - _ @",
            where: {
                $0.utf8.count == 1
                    && $0.allSatisfy { ("!"..."~").contains($0) && !$0.isLetter && !$0.isNumber }
                    && !$0.contains { "/?#%.-_@".contains($0) }
            }),
        Setting(
            "imgproxy.presets", \.imgproxy.presets, .live,
            "Names for options, as thumb=rs:fill:200:200/q:80; the preset called default applies to every URL."
        ),
        Setting(
            "imgproxy.only-presets", \.imgproxy.onlyPresets, .live,
            "URLs name presets and nothing else: /<signature>/thumb:sharp/<source>."),
        Setting(
            "imgproxy.base-url", \.imgproxy.baseURL, .live,
            "Put before sources that do not begin with it, as https://www.example.com/ or s3://bucket/; empty = sources are whole URLs.",
            isGuard: true),
        Setting(
            "imgproxy.base64-filename", \.imgproxy.base64Filename, .live,
            "Sources in base64 are followed by a segment with a file name, which is ignored, as with IMGPROXY_BASE64_URL_INCLUDES_FILENAME: /<signature>/<options>/<source>.png/puppy.jpg."
        ),
        Setting(
            "imgproxy.watermark", \.imgproxy.watermark, .live,
            "The name in options.watermarks of the picture that watermark:… lays over; empty = such URLs are a 400."
        ),
        Setting(
            "imgproxy.auto-formats", \.imgproxy.autoFormats, .live,
            "Formats that Accept may choose where the URL names none: webp, avif, jxl, as IMGPROXY_AUTO_WEBP, IMGPROXY_AUTO_AVIF and IMGPROXY_AUTO_JXL; empty = none."
        ),
        Setting(
            "imgproxy.enforce-auto-formats", \.imgproxy.enforceAutoFormats, .live,
            "Accept chooses among imgproxy.auto-formats where the URL names a format too, as IMGPROXY_ENFORCE_WEBP, IMGPROXY_ENFORCE_AVIF and IMGPROXY_ENFORCE_JXL; the named one is for clients that accept none of them."
        ),
        Setting(
            "imgproxy.preferred-formats", \.imgproxy.preferredFormats, .live,
            "Formats of results where neither the URL nor Accept names one, as IMGPROXY_PREFERRED_FORMATS: the source's own if it is one of them, else the first that holds its transparency or its frames. jpeg, png, gif, webp, avif, tiff, jxl."
        ),
        Setting(
            "imgproxy.client-hints", \.imgproxy.clientHints, .live,
            "Take width and dpr from clients' hints where the URL names none, as IMGPROXY_ENABLE_CLIENT_HINTS. Needs client-hints.enabled."
        ),
    ]
}
