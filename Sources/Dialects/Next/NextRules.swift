// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import ImageHeaders
internal import Recipes
package import RequestGrammar
internal import Settings
internal import SourceURLs

/// The configuration of the Next dialect.
package struct NextRules: Sendable {
    /// Widths that may be asked for; empty = any.
    package var widths: Set<Int>
    /// Qualities that may be asked for; empty = any.
    package var qualities: Set<Int>
    /// Where relative URLs are fetched from: an absolute URL without a slash at its end; nil = nowhere.
    package var base: String?
    /// A browser saves the picture when its URL is opened; on a page it is shown either way.
    package var isAttachment = true
    /// A drawing is passed on as one.
    package var keepsDrawings = false
    /// Originals that are handed on as they came.
    package var passed = PassedOriginals.none

    /// Widths are pixels, qualities 1…100; the ranges are not checked here.
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
