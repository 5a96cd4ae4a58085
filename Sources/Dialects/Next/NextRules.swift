// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import ImageHeaders
internal import Recipes
package import RequestGrammar
internal import Settings
internal import SourceURLs

/// The configuration of the Next dialect.
package struct NextRules: Sendable {
    /// The allowed widths; empty = all.
    package var widths: Set<Int>
    /// The allowed qualities; empty = all.
    package var qualities: Set<Int>
    /// The site of relative URLs: an absolute URL without a slash at its end; nil = relative URLs are refused.
    package var base: String?
    /// True if a browser saves the picture when its URL is opened; on a page it is shown either way.
    package var isAttachment = true
    /// True to pass an SVG on as SVG.
    var keepsDrawings = false
    /// Originals that are passed on unchanged.
    package var passed = PassedOriginals.none

    /// - Parameters:
    ///   - widths: pixels; the range is not checked here.
    ///   - qualities: 1…100; the range is not checked here.
    package init(widths: Set<Int> = [], qualities: Set<Int> = [], base: String? = nil) {
        self.widths = widths
        self.qualities = qualities
        self.base = base
    }

    init(_ all: Settings) throws(UnusableSetting) {
        let settings = all.next
        self.init(
            widths: try SettingNumbers.read(settings.widths, Recipe.Length.pixelRange, "next.widths"),
            qualities: try SettingNumbers.read(settings.qualities, 1...100, "next.qualities"))
        isAttachment = settings.disposition == "attachment"
        keepsDrawings = all.output.svg
        passed = PassedOriginals(
            formats: Set(settings.unoptimized.compactMap { ImageFormat(name: $0) }),
            animations: settings.unoptimized.contains("animation"))
        guard !settings.baseURL.isEmpty else { return }
        let base = settings.baseURL.hasSuffix("/") ? String(settings.baseURL.dropLast()) : settings.baseURL
        guard base.contains("://"), !base.contains(where: { "?#".contains($0) }),
            (try? SourceURL.parse(base))?.scheme.isWeb == true
        else {
            throw UnusableSetting(
                description: "next.base-url: \"\(base)\" is no http or https URL without a query")
        }
        self.base = base
    }

    /// Formats that `Accept` may choose.
    static func formats(_ settings: Settings.Next) throws(UnusableSetting) -> AcceptClass {
        try AutoFormats.read(settings.formats, "next.formats")
    }
}
