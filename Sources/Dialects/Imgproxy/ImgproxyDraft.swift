// SPDX-License-Identifier: Apache-2.0

internal import Recipes
internal import RequestGrammar
internal import SourceURLs

/// The state of reading one URL's options, one after the other: a later one counts. A preset counts where it stands.
struct ImgproxyDraft {
    enum Resizing: String { case fit, fill, force, auto, fillDown = "fill-down" }

    var resizing = Resizing.fit
    /// Pixels; 0 = by the ratio.
    var width = 0
    var height = 0
    var zoom = (x: 1.0, y: 1.0)
    var pixelRatio = 1.0
    private var isRatioNamed = false
    /// Pixels that the sides have at least; 0 = any.
    var least = (width: 0, height: 0)
    var enlarges = false
    /// As large as the box.
    var boxCanvas = ImgproxyCanvas()
    /// With the ratio of the box, and not its size.
    var ratioCanvas = ImgproxyCanvas()
    var gravity = ImgproxyGravity.center
    /// Below 1 a fraction, else pixels; 0 = the whole side.
    var crop: (width: Double, height: Double, gravity: ImgproxyGravity?)?
    var trim: Trim?
    var padding: Clockwise?
    /// Pixels a side; 0 and 1 change nothing.
    var block = 0
    var degrees = 0
    var mirrorsAcross = false
    var mirrorsDown = false
    var background: Color?
    /// Of that colour, 0…1.
    var backgroundAlpha = 1.0
    /// Levels that each channel gains, −255…255.
    var brightness = 0
    /// 1 = no change, as for the saturation.
    var contrast = 1.0
    var saturation = 1.0
    var duotone: Filter?
    var blur = 0.0
    var sharpness = 0.0
    var watermark = ImgproxyWatermark()
    /// The watermark's URL, as written and as read; nil for the watermark of the settings.
    var watermarkURL: (text: String, url: SourceURL)?
    var keepsProfile = false
    var keepsCopyright = true
    /// 0 = by the format.
    var quality = 0
    var qualities: [String: Int] = [:]
    var format: String?
    var frames = 1
    /// The first page that is taken.
    var page = 0
    /// One frame of an animation, however many are asked for.
    var isStill = false
    /// Bytes of the result at most; 0 = any number.
    var maxBytes = 0
    /// Limits of the URL, beside those of the settings.
    var limits = URLLimits.none
    /// The original as it came, whatever else is asked.
    var isRaw = false
    /// Formats whose originals are handed on, if the result would have the same.
    var passed: [String] = []
    var isAttachment = false
    /// Unix time in seconds.
    var expiry: Int64?
    var filename: String?
    var source: SourceURL?
    var isSourceEncrypted = false
    /// The request does not show where it lies.
    var isSourceHidden = false
    /// The segment behind the source that names its file.
    var sourceName: String?
    /// The hints that it depends on, where they are read: they fill in what no option names.
    var hints: HintFields = [.width, .pixelRatio]

    private var presetsTaken = 0
    /// Presets that one URL may take, those within presets included: a short one can name thousands.
    private static let mostPresets = 64

    /// No option.
    init() {}

    /// - Parameter needs: of the client; of no account where its hints are not read.
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

    /// A width counts pixels of the screen, and is multiplied by the ratio.
    private mutating func fill(in needs: ClientNeeds) {
        pixelRatio = needs.pixelRatio ?? 1
        guard let pixels = needs.width, !needs.isViewport else { return }
        // Cannot trap: 1…16,384 by 0.25…8.
        width = max(1, Int((Double(pixels) / pixelRatio).rounded()))
    }

    /// The width is named; without it the ratio makes a width of the screen one of the page.
    mutating func nameWidth(_ pixels: Int) {
        width = pixels
        hints.remove(.width)
        if isRatioNamed { hints.remove(.pixelRatio) }
    }

    mutating func nameRatio(_ ratio: Double) {
        (pixelRatio, isRatioNamed) = (ratio, true)
        if !hints.contains(.width) { hints.remove(.pixelRatio) }
    }

    /// - Parameter names: presets that are being taken.
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
