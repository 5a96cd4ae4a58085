// SPDX-License-Identifier: Apache-2.0

internal import Recipes
internal import RequestGrammar
internal import SourceURLs

/// The state while one URL's options are read in order; a later option overrides an earlier one. A preset applies at its place.
struct ImgproxyDraft {
    enum Resizing: String { case fit, fill, force, auto, fillDown = "fill-down" }

    var resizing = Resizing.fit
    /// Pixels; 0 = derived from the ratio.
    var width = 0
    var height = 0
    var zoom = (x: 1.0, y: 1.0)
    var pixelRatio = 1.0
    private var isRatioNamed = false
    /// The minimum sides in pixels; 0 = none.
    var least = (width: 0, height: 0)
    var enlarges = false
    /// The canvas with the size of the box.
    var boxCanvas = ImgproxyCanvas()
    /// The canvas with the ratio of the box, whatever its size.
    var ratioCanvas = ImgproxyCanvas()
    var gravity = ImgproxyGravity.center
    /// Numbers below 1 are fractions, others pixels; 0 = the whole side.
    var crop: (width: Double, height: Double, gravity: ImgproxyGravity?)?
    var trim: Trim?
    var padding: Clockwise?
    /// The side of a square in pixels; 0 and 1 change nothing.
    var block = 0
    var degrees = 0
    var mirrorsAcross = false
    var mirrorsDown = false
    var background: Color?
    /// The opacity of the background colour, 0…1.
    var backgroundAlpha = 1.0
    /// Levels added to each channel, −255…255.
    var brightness = 0
    /// 1 = no change, also for the saturation.
    var contrast = 1.0
    var saturation = 1.0
    var duotone: Filter?
    var blur = 0.0
    var sharpness = 0.0
    var watermark = ImgproxyWatermark()
    /// The watermark's URL, as written and as parsed; nil for the watermark of the settings.
    var watermarkURL: (text: String, url: SourceURL)?
    var keepsProfile = false
    var keepsCopyright = true
    /// 0 = the default of the format.
    var quality = 0
    var qualities: [String: Int] = [:]
    var format: String?
    var frames = 1
    /// The first page that is taken.
    var page = 0
    /// True to take one frame of an animation, however many are asked for.
    var isStill = false
    /// The most bytes of the result; 0 = no limit.
    var maxBytes = 0
    /// Limits set by the URL, in addition to those of the settings.
    var limits = URLLimits.none
    /// True to pass on the original unchanged, whatever else is asked for.
    var isRaw = false
    /// Formats whose originals are passed on if the result would have the same format.
    var passed: [String] = []
    var isAttachment = false
    /// The expiry as unix time in seconds; nil for none.
    var expiry: Int64?
    var filename: String?
    var source: SourceURL?
    var isSourceEncrypted = false
    /// True if the request does not show where the source is.
    var isSourceHidden = false
    /// The segment after the source that names its file.
    var sourceName: String?
    /// The hints that the request depends on, if hints are read. They supply what no option names.
    var hints: HintFields = [.width, .pixelRatio]

    private var presetsTaken = 0
    /// The most presets that one URL may apply, including those within presets, because a short name can stand for thousands.
    private static let mostPresets = 64

    /// A draft without any option applied.
    init() {}

    /// - Parameter needs: the client's needs; ignored if hints are not read.
    init(
        _ path: ImgproxyPath, _ rules: ImgproxyRules, _ needs: ClientNeeds = .none
    ) throws(ImgproxyRefusal) {
        if rules.readsHints { fill(in: needs) }
        var segments = path.text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        if segments.first.map({ Resizing(rawValue: String($0)) != nil }) == true, !rules.onlyPresets {
            throw .basicForm
        }
        if let options = rules.presets["default"] { try take(options, rules, inside: ["default"]) }
        if rules.onlyPresets {
            let names = (segments.popFirst() ?? "").split(
                separator: rules.separator, omittingEmptySubsequences: false)
            for name in names { try takePreset(String(name), rules, inside: []) }
        } else {
            while let segment = segments.first, let option = ImgproxyOption(segment, rules.separator) {
                try take([option], rules, inside: [])
                segments = segments.dropFirst()
            }
        }
        let source = try ImgproxySource(segments, rules)
        self.source = source.url
        (isSourceEncrypted, isSourceHidden) = (source.isEncrypted, source.isHidden)
        sourceName = source.fileName
        guard let named = source.format, !isRaw else { return }
        guard Self.names(named) else { throw .noFormat(name: named) }
        format = named
    }

    /// Applies the hints. A hinted width is in screen pixels, but a URL's width is multiplied by the pixel ratio, so it is divided by
    /// that first.
    private mutating func fill(in needs: ClientNeeds) {
        pixelRatio = needs.pixelRatio ?? 1
        guard let pixels = needs.width, !needs.isViewport else { return }
        // Cannot trap: 1…16,384 by 0.25…8.
        width = max(1, Int((Double(pixels) / pixelRatio).rounded()))
    }

    /// Sets the width from an option. Then the hinted width no longer matters.
    mutating func nameWidth(_ pixels: Int) {
        width = pixels
        hints.remove(.width)
        if isRatioNamed { hints.remove(.pixelRatio) }
    }

    mutating func nameRatio(_ ratio: Double) {
        (pixelRatio, isRatioNamed) = (ratio, true)
        if !hints.contains(.width) { hints.remove(.pixelRatio) }
    }

    /// - Parameter names: the presets that are being applied, to detect recursion.
    mutating func take(
        _ options: [ImgproxyOption], _ rules: ImgproxyRules, inside names: [String]
    ) throws(ImgproxyRefusal) {
        for option in options {
            guard let kind = option.kind else {
                if ["http", "https"].contains(option.name) { throw .badEncoding }
                guard let reason = ImgproxyOption.reason(against: option.name) else {
                    throw .unknown(name: option.name)
                }
                throw .unsupported(option: option.name, reason: reason)
            }
            if kind == .preset {
                for name in option.arguments { try takePreset(name, rules, inside: names) }
            } else {
                try take(kind, ImgproxyArguments(option))
            }
        }
    }

    private mutating func takePreset(
        _ name: String, _ rules: ImgproxyRules, inside names: [String]
    ) throws(ImgproxyRefusal) {
        guard let options = rules.presets[name] else { throw .noPreset(name: name) }
        guard !names.contains(name) else { throw .recursivePreset(name: name) }
        presetsTaken += 1
        guard presetsTaken <= Self.mostPresets else { throw .tooManyPresets(limit: Self.mostPresets) }
        try take(options, rules, inside: names + [name])
    }
}
