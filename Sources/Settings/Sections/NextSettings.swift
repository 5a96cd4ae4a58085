// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// The dialect of Next.js.
    package struct Next: Sendable, Equatable {
        /// Allowed widths in pixels; empty for any width.
        package var widths: [String] = []
        /// Allowed qualities, 1…100; empty for any quality.
        package var qualities: [String] = []
        /// An absolute URL against which relative source URLs are resolved; empty to refuse them.
        package var baseURL = ""
        /// `avif` and `webp`, in any order.
        package var formats = ["webp"]
        /// What is answered unchanged: `ico`, `bmp` and `animation`.
        package var unoptimized = ["ico", "bmp", "animation"]
        /// The disposition of answers: `attachment` or `inline`.
        package var disposition = "attachment"
    }
}

extension Setting {
    static let next: [Setting] = [
        Setting(
            "next.widths", \.next.widths, .live,
            "Widths that may be asked for: deviceSizes and imageSizes of next.config; empty = any.",
            isGuard: true),
        Setting(
            "next.qualities", \.next.qualities, .live,
            "Qualities that may be asked for: images.qualities of next.config; empty = any.", isGuard: true),
        Setting(
            "next.base-url", \.next.baseURL, .live,
            "Where url=/… is fetched from, as https://www.example.com; empty = such URLs are a 400."),
        Setting(
            "next.formats", \.next.formats, .live,
            "Formats beside the source's own that Accept may choose: avif, webp, jxl, as images.formats of next.config."
        ),
        Setting(
            "next.unoptimized", \.next.unoptimized, .live,
            "Originals that are handed on as they came, as Next.js does: ico, bmp, animation. Empty = they are resized as well.",
            form: "a list of ico, bmp, animation",
            where: { $0.allSatisfy { ["ico", "bmp", "animation"].contains($0) } }),
        Setting(
            "next.content-disposition", \.next.disposition, .live,
            "Whether a browser that opens a picture's URL saves it or shows it: contentDispositionType of next.config.",
            form: "attachment or inline", where: { ["attachment", "inline"].contains($0) }),
    ]
}
