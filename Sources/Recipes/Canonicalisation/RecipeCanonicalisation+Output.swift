// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

/// The format, its settings, and the frames.
extension Recipe {
    /// Each format has only its own settings, and a quality for all formats replaces those by format.
    mutating func canonicaliseEncoding() {
        if quality != nil { formatQualities = [:] }
        switch output {
        case .source, .auto:
            jsonExtras = []
            formatQualities = formatQualities.filter { $0.key.hasQuality }
        case .json where tellsOtherWidths:
            // An unchanged original has only one width.
            asIs = []
            formatQualities = formatQualities.filter { $0.key.hasQuality }
        case .json, .raw:
            (asIs, formatQualities) = ([], [:])
            forgetEncoding { _ in false }
        case .format(let format):
            jsonExtras = []
            asIs.formIntersection([format])
            if let own = formatQualities[format] { quality = .number(own) }
            formatQualities = [:]
            forgetEncoding { format.listens(to: $0) }
        }
    }

    private mutating func forgetEncoding(unless listens: (EncoderSetting) -> Bool) {
        if !listens(.quality) { quality = nil }
        if !listens(.bytes) || lossless && listens(.lossless) { maxBytes = nil }
        if !listens(.level) { pngLevel = nil }
        if !listens(.filters) { adaptiveFilter = nil }
        if !listens(.interlaced) { interlaced = false }
        if !listens(.lossless) { lossless = false }
        if !listens(.metadata) || lossless && output == .format(.avif) { metadata = .none }
        if !listens(.gainMap) { keepsGainMap = false }
        if !listens(.profile) { profile = .sRGB }
        if profile == .own, namesColours { profile = .displayP3 }
    }

    /// A format without animations takes one frame, and one frame has no timing. JSON describes what was
    /// asked for.
    mutating func canonicalisePages() {
        if case .format(let format) = output, !format.canAnimate { pages = 1 }
        if pages == 1, output != .json { (loop, delays) = (nil, []) }
    }
}
