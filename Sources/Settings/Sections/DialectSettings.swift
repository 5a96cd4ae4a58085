// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let dialects: [Setting] = [
        Setting(
            "options.presets", \.options.presets,
            "What preset=name stands for, each as thumb=w=200&h=200&fit=cover. A comma inside is written %2C."
        ),
        Setting(
            "options.width-ladder", \.options.widthLadder,
            "Widths that are made, as 320,640,960,1280,1920,2560,3840: what is asked for gets the next one up, the height along with it, and the last one beyond it. A height alone is treated alike, percentages go up to full tens. Empty = every width. Not for presets' own sizes, nor the Next endpoint."
        ),
        Setting(
            "options.watermarks", \.options.watermarks,
            "What wm=name stands for, each as logo=https://… or logo=/path/of/a/file."),
        Setting(
            "options.default-hosts", \.options.defaultHosts,
            "Hosts that default= may send a client to: host, *.host, or * for any. A signed URL may send it anywhere. Empty = nowhere; at the wsrv.nl endpoint anywhere, as there."
        ),
        Setting(
            "weserv.compatible-status", \.weserv.compatibleStatus,
            "Answer failures as wsrv.nl does: with its words, and nearly all of them with a 404."),
        Setting(
            "next.widths", \.next.widths,
            "Widths that may be asked for: deviceSizes and imageSizes of next.config; empty = any."),
        Setting(
            "next.qualities", \.next.qualities,
            "Qualities that may be asked for: images.qualities of next.config; empty = any."),
        Setting(
            "next.base-url", \.next.baseURL,
            "Where url=/… is fetched from, as https://www.example.com; empty = such URLs are a 400."),
        Setting(
            "next.formats", \.next.formats,
            "Formats beside the source's own that Accept may choose: avif, webp, as images.formats of next.config."
        ),
    ]
}
