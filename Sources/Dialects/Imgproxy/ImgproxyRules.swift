// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import ImageHeaders
internal import RequestGrammar
internal import Settings
internal import SourceURLs

/// The configuration of the imgproxy dialect.
package struct ImgproxyRules: Sendable {
    /// The character between an option's name and its arguments.
    var separator: Character = ":"
    /// Words accepted as signatures, which may look like options.
    private var trusted: [String] = []
    /// The options of each preset, by its name.
    var presets: [String: [ImgproxyOption]] = [:]
    /// True if the segment before the source names presets only.
    var onlyPresets = false
    /// Prepended to sources that do not begin with it; empty = sources are URLs.
    var base = ""
    /// True if a file name, which has no effect on the picture, follows a source in base64.
    var namesFiles = false
    /// True if the base ends with a host, with or without a port: characters appended to it could name another host.
    private var isBareHost = false
    /// The AES key for sources after `enc/`; empty = there are no such sources.
    var encryptionKey: [UInt8] = []
    /// The name of the watermark; empty = none.
    var watermark = ""
    /// Formats that `Accept` may choose if the URL names none.
    var autoFormats: AcceptClass = []
    /// True if `Accept` may choose these formats even if the URL names a format.
    var enforcesFormats = false
    /// Formats that a result may have if neither the URL nor `Accept` names one.
    var preferredFormats: [ImageFormat] = [.jpeg, .png, .gif]
    /// True to pass an SVG on as SVG if the URL names no other format.
    var keepsDrawings = false
    /// True if clients' hints supply what URLs leave out.
    var readsHints = false

    /// The rules with default settings.
    package init() {}

    init(_ all: Settings, _ vocabulary: Vocabulary) throws(UnusableSetting) {
        let settings = all.imgproxy
        encryptionKey = try all.imgproxyEncryptionKey.bytes
        separator = settings.argumentsSeparator.first ?? ":"
        trusted = settings.trustedSignatures.texts
        onlyPresets = settings.onlyPresets
        base = settings.baseURL
        namesFiles = settings.base64Filename
        watermark = settings.watermark
        keepsDrawings = all.output.svg
        readsHints = settings.clientHints && vocabulary.hints != nil
        autoFormats = try AutoFormats.read(settings.autoFormats, "imgproxy.auto-formats")
        enforcesFormats = settings.enforceAutoFormats && !autoFormats.isEmpty
        try readPreferred(settings.preferredFormats)
        if !base.isEmpty { isBareHost = try Self.isBareHost(base) }
        guard watermark.isEmpty || vocabulary.watermarkList.contains(watermark) else {
            throw UnusableSetting(
                description:
                    "imgproxy.watermark: there is no watermark \"\(watermark)\" in options.watermarks")
        }
        try readPresets(settings.presets)
    }

    /// True if the base ends with a host or a store's place.
    /// - Throws: if the base is neither a site nor a place in a store.
    private static func isBareHost(_ base: String) throws(UnusableSetting) -> Bool {
        let mistake = UnusableSetting(
            description:
                "imgproxy.base-url: \"\(base)\" is no http or https URL, and none of s3://bucket/, gs://bucket/, swift://container/, abs://container/ and local:///"
        )
        if let store = ImgproxyStore(base) {
            guard (try? ImgproxyStore(base + (store.isBare ? "/a" : "a"))?.url) != nil else { throw mistake }
            return store.isBare
        }
        guard base.contains("://"), let site = try? SourceURL.parse(base), site.scheme.isWeb else {
            throw mistake
        }
        let longer = try? SourceURL.parse(base + "a")
        return longer?.host != site.host || longer?.port != site.port
    }

    private mutating func readPreferred(_ texts: [String]) throws(UnusableSetting) {
        preferredFormats = []
        for text in texts {
            guard let format = ImgproxyDraft.written[text] else {
                throw UnusableSetting(
                    description:
                        "imgproxy.preferred-formats: \"\(text)\" is none of jpeg, png, webp, avif, gif, tiff and jxl"
                )
            }
            preferredFormats.append(format)
        }
        guard !preferredFormats.isEmpty else {
            throw UnusableSetting(
                description: "imgproxy.preferred-formats is empty: pictures need a format")
        }
    }

    /// True for an option in the place of a signature, which would be ignored if no signature is required.
    func isOption(_ signature: String) -> Bool {
        signature.contains(separator) && !trusted.contains(signature)
    }

    /// The source as a whole URL: appended to the base, unless it begins with it. After a bare host there is always a slash.
    func withBase(_ source: String) -> String {
        guard isBareHost else { return source.hasPrefix(base) ? source : base + source }
        if source.hasPrefix(base) {
            let next = source.dropFirst(base.count).first
            if next.map({ "/?#".contains($0) }) ?? true { return source }
        }
        return base + (source.hasPrefix("/") ? "" : "/") + source
    }

    /// Reads presets, written `name=option/option` as in a URL.
    private mutating func readPresets(_ texts: [String]) throws(UnusableSetting) {
        for text in texts {
            let name = String(text.prefix { $0 != "=" })
            let segments = text.dropFirst(name.count + 1).split(separator: "/").map(String.init)
            let options = segments.compactMap { ImgproxyOption($0, separator) }
            guard text.contains("="), !name.isEmpty, !options.isEmpty, options.count == segments.count else {
                throw UnusableSetting(
                    description:
                        "imgproxy.presets: \"\(text)\" is not name=options, as thumb=rs:fill:200:200/q:80")
            }
            guard presets.updateValue(options, forKey: name) == nil else {
                throw UnusableSetting(description: "imgproxy.presets: \"\(name)\" is given twice")
            }
        }
        for (name, options) in presets.sorted(by: { $0.key < $1.key }) {
            do throws(ImgproxyRefusal) {
                var draft = ImgproxyDraft()
                try draft.take(options, self, inside: [name])
                _ = try draft.recipe(self)
                // The watermark is checked only if the preset itself names one.
                if draft.watermarkURL != nil { _ = try draft.watermarkSource(self) }
            } catch {
                throw UnusableSetting(description: "imgproxy.presets: \"\(name)\": \(error.message)")
            }
        }
    }
}
