// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// Client hints.
    package struct Hints: Sendable, Equatable {
        /// True to use client hints.
        package var enabled = false
        /// The widths to which a hinted width is rounded up, in pixels.
        package var widths = ["320", "480", "640", "768", "960", "1280", "1600", "1920", "2560", "3840"]
        /// The width in pixels if the hints give none; 0 for the original's.
        package var defaultWidth = 1_280
        /// The quality for clients that save data, in percent of the usual quality.
        package var savingPercent = 75
    }
}

extension Setting {
    static let hints: [Setting] = [
        Setting(
            "client-hints.enabled", \.hints.enabled, .live,
            "Read clients' hints: Sec-CH-Width, Sec-CH-Viewport-Width, Sec-CH-DPR, their older names, and Save-Data. Answers ask for them by Accept-CH. If it is false, w=auto and dpr=auto are a 400."
        ),
        Setting(
            "client-hints.widths", \.hints.widths, .live,
            "Widths that w=auto may become: the next one up from what the client hints at, or the last one. Few widths are few pictures, also of a signed URL."
        ),
        .number(
            "client-hints.default-width", \.hints.defaultWidth, .live, 0...16_384,
            "Pixels of w=auto for a client that hints at no width, as Firefox and Safari; 0 = the original's. 1280 is sharp in most columns of text and no photograph's full size."
        ),
        .number(
            "client-hints.save-data-quality", \.hints.savingPercent, .live, 1...100,
            "Percent of encoder.*-quality for clients with Save-Data: on, where the URL names no quality; 100 = as for others."
        ),
    ]
}
