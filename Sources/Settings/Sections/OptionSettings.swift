// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// Presets, watermarks and default hosts for URLs, and limits on sizes.
    package struct Options: Sendable, Equatable {
        /// Presets as `name=options`.
        package var presets: [String] = []
        /// Allowed widths in pixels; empty for every width.
        package var widthLadder: [String] = []
        /// The most pixels of a width in a URL.
        package var maximumWidth = 16_384
        /// The most pixels of a height in a URL.
        package var maximumHeight = 16_384
        /// Watermarks as `name=URL` or `name=/path`.
        package var watermarks: [String] = []
        /// Hosts to which `default=` may redirect a client: `host`, `*.host` or `*`; empty for none.
        package var defaultHosts: [String] = []
        /// `avif`, `webp` and `jxl`, in any order.
        package var autoFormats = ["avif", "webp"]
    }
}

extension Setting {
    static let options: [Setting] = [
        Setting(
            "options.presets", \.options.presets, .live,
            "What preset=name stands for, each as thumb=w=200&h=200&fit=cover. A comma inside is written %2C."
        ),
        Setting(
            "options.width-ladder", \.options.widthLadder, .live,
            "Widths that are made, as 320,640,960,1280,1920,2560,3840. A width that is asked for becomes the next one up, the height along with it; a larger one than the last becomes the last. A height alone is treated alike, percentages go up to full tens. Empty = every width. It holds for every kind of URL but next/image's, and not for the size of a preset in options.presets.",
            isGuard: true),
        .number(
            "options.maximum-width", \.options.maximumWidth, .live, 1...16_384,
            "Pixels of the widest box that is made, dpr included. A wider one becomes this wide, its height along with it. It holds for the same URLs as options.width-ladder."
        ),
        .number(
            "options.maximum-height", \.options.maximumHeight, .live, 1...16_384,
            "Pixels of the highest box that is made, dpr included. A higher one becomes this high, its width along with it. It holds for the same URLs as options.width-ladder."
        ),
        Setting(
            "options.watermarks", \.options.watermarks, .live,
            "What wm=name stands for, each as logo=https://… or logo=/path/of/a/file."),
        Setting(
            "options.auto-formats", \.options.autoFormats, .live,
            "Formats that Accept may choose with output=auto, at / and with Cloudflare's format=auto: avif, webp, jxl. Where jxl is named, a client that accepts it gets it before the others; it must be written (decoder.writes)."
        ),
        Setting(
            "options.default-hosts", \.options.defaultHosts, .live,
            "Hosts that default= may send a client to: host, *.host, or * for any. A signed URL may send it anywhere. Empty = nowhere; at the wsrv.nl endpoint anywhere, as there.",
            isGuard: true),
    ]
}
