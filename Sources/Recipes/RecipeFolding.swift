// SPDX-License-Identifier: Apache-2.0
//
// Canonicalisation: options that cannot change the picture are set to their defaults before a recipe is
// spelled, keyed or compared, so that equal pictures have equal spellings. Each fold says why it is certain;
// options whose effect depends on the picture are left alone.

internal import Bytes
internal import ImageHeaders

extension Recipe {
    /// The canonical recipe of the same picture. Idempotent.
    package var folded: Recipe {
        guard output != .raw else { return .raw }
        var recipe = self
        recipe.foldDrawing()
        recipe.foldZoom()
        recipe.foldPixelRatio()
        recipe.foldAspect()
        recipe.foldWholeSize()
        recipe.foldFit()
        recipe.foldEnlargement()
        recipe.foldCrop()
        recipe.foldTurns()
        recipe.foldTurnOrder()
        recipe.foldColours()
        recipe.foldEdges()
        recipe.foldEncoding()
        recipe.foldPages()
        return recipe
    }

    /// A drawing is kept only if no format is requested.
    private mutating func foldDrawing() {
        if output != .source, output != .auto, !tellsOtherWidths { keepsDrawing = false }
    }

    /// The `srcset` in JSON lists URLs of the picture at other widths, whose format depends on `Accept`. All
    /// options that apply to those are kept.
    private var tellsOtherWidths: Bool { output == .json && jsonExtras.contains(.srcset) }

    /// A zoom only multiplies the lengths, or the picture if there are none. It stays if a ratio alone makes the box, because
    /// that box depends on the picture.
    private mutating func foldZoom() {
        guard zoom != 1, !isCutByRatioAlone else { return }
        // A ratio that makes no box of the whole picture makes none of a part of it either.
        if width == nil, height == nil { (width, aspect) = (.percent(100), nil) }
        width = width?.multiplied(by: zoom)
        height = height?.multiplied(by: zoom)
        zoom = 1
    }

    /// True if a ratio alone makes the box, without a side.
    package var isCutByRatioAlone: Bool {
        aspect != nil && width == nil && height == nil && fit != .inside && fit != .outside
    }

    /// A ratio and a side in pixels give the other side. Without a side, only some fits use the ratio.
    private mutating func foldAspect() {
        guard let aspect else { return }
        let range = Length.pixelRange
        func side(_ pixels: Int) -> Length { .pixels(Swift.min(pixels, range.upperBound)) }
        switch (width, height) {
        case (.pixels(let pixels)?, nil): (height, self.aspect) = (side(aspect.height(of: pixels)), nil)
        case (nil, .pixels(let pixels)?): (width, self.aspect) = (side(aspect.width(of: pixels)), nil)
        case (_?, _?): self.aspect = nil
        case (nil, nil) where !isCutByRatioAlone: self.aspect = nil
        default: break
        }
    }

    /// True if something requests a size.
    private var hasSize: Bool {
        width != nil || height != nil || aspect != nil || leastWidth != nil || leastHeight != nil
    }

    /// The ratio only multiplies lengths, so they are multiplied here, clamped to their ranges.
    private mutating func foldPixelRatio() {
        scaleBox(by: pixelRatio)
        scaleEdges(by: pixelRatio)
        scaleLeast(by: pixelRatio)
        pixelRatio = 1
    }

    /// 100 % of every given side is the original size, under any fit.
    private mutating func foldWholeSize() {
        if aspect == nil, Self.isWhole(width), Self.isWhole(height) { (width, height) = (nil, nil) }
        if leastWidth == 1 { leastWidth = nil }
        if leastHeight == 1 { leastHeight = nil }
    }

    private static func isWhole(_ length: Length?) -> Bool {
        switch length {
        case nil: true
        case .percent(let percent): percent == 100
        case .pixels: false
        }
    }

    /// With one side given, the other follows from the ratio under every fit, and nothing is cropped or padded. The exception is a
    /// picture that may not grow: it lies on a canvas as long as the given side. Only `cover` and `contain` use the alignment (and
    /// `auto`, which may be `cover`), only `cover` can search for an interesting part, only `contain` has bars. A focal point in the
    /// middle equals the centre (`Geometry` rounds both alike).
    private mutating func foldFit() {
        if aspect == nil, width == nil || height == nil, !extendsOneSide { fit = .inside }
        if !isPlacing { alignment = .center }
        if fit == .contain, alignment == .entropy || alignment == .attention { alignment = .center }
        if alignment != .focal { focus = Focus() }
        if alignment == .focal, focus == Focus() { alignment = .center }
        if fit != .contain { containBlur = nil }
        if fit != .contain || containBlur != nil { containSample = nil }
        if fit != .contain || containBlur != nil || containSample != nil { containBackground = .transparent }
        shift = isPlacing && alignment.sides != nil ? shift.folded : PositionOffset()
    }

    /// True for `contain` with one side, which may be longer than the picture's.
    private var extendsOneSide: Bool {
        fit == .contain && withoutEnlargement && (Self.mayEnlarge(width) || Self.mayEnlarge(height))
    }

    /// Percentages up to 100 do not enlarge; neither does a missing size, because nothing is resized. A ratio makes a box as
    /// large as the picture allows. But a side that follows from a percentage and a ratio, or that is exchanged with the other,
    /// may be longer than the picture's.
    private mutating func foldEnlargement() {
        // A square box is the same when it is turned.
        if aspect == nil, width == nil || height == nil { turnsBox = false }
        if let aspect, aspect.width == aspect.height { turnsBox = false }
        if case .pixels = width, width == height { turnsBox = false }
        let mayEnlarge =
            Self.mayEnlarge(width) || Self.mayEnlarge(height) || zoom > 1
            || aspect != nil && (width != nil || height != nil || turnsBox)
        if !mayEnlarge { withoutEnlargement = true }
        if !mayReduce, aspect == nil { withoutReduction = false }
        // Only a picture that may not grow can be too small for its box.
        if !isPlacing || !withoutEnlargement || !mayEnlarge { shrinksBox = false }
        // A box with one side has the picture's own shape.
        if aspect == nil, width == nil || height == nil { shrinksBox = false }
        if !hasSize, !tellsOtherWidths { linear = false }
    }

    private static func mayEnlarge(_ length: Length?) -> Bool {
        switch length {
        case nil: false
        case .pixels: true
        case .percent(let percent): percent > 100
        }
    }

    /// Percentages from 100 on do not reduce.
    private var mayReduce: Bool { Self.mayReduce(width) || Self.mayReduce(height) }

    private static func mayReduce(_ length: Length?) -> Bool {
        switch length {
        case nil: false
        case .pixels: true
        case .percent(let percent): percent < 100
        }
    }

    /// True if the fit cuts the picture to its box or fills the box up.
    private var isPlacing: Bool { fit == .cover || fit == .contain || fit == .auto }

    /// Offsets of 0 are the defaults, and a crop that keeps everything is none. Without a size there is no
    /// resize, so the crop cannot come before it.
    private mutating func foldCrop() {
        guard var crop else { return }
        crop.dropWholeLengths()
        crop.anchor = crop.plainAnchor
        (crop.x, crop.y) = crop.plainOffsets
        if !hasSize { crop.beforeResize = false }
        let cuts = [crop.x, crop.y, crop.width, crop.height].contains { $0 != nil }
        self.crop = cuts ? crop : nil
    }

    /// A full turn changes nothing. Right angles and mirrors form the symmetry group of a rectangle, so both
    /// mirrors are half a turn, and half a turn with one mirror is the other mirror. Only other angles leave
    /// corners.
    private mutating func foldTurns() {
        rotation = rotation.truncatingRemainder(dividingBy: 360)
        rotation = DecimalText.quantised(rotation < 0 ? rotation + 360 : rotation)
        guard isQuarterTurn else { return }
        rotationBackground = .transparent
        if flip, flop {
            (flip, flop) = (false, false)
            rotation = (rotation + 180).truncatingRemainder(dividingBy: 360)
        }
        if rotation >= 180, flip != flop {
            (flip, flop) = (flop, flip)
            rotation -= 180
        }
    }

    /// The order of turning only matters with a crop, a canvas, or a mirror after a rotation by another
    /// angle.
    private mutating func foldTurnOrder() {
        let mirrors = flip || flop
        let cuts = crop != nil || isPlacing
        turnsFirst = turnsFirst && (isQuarterTurn ? cuts && (mirrors || rotation != 0) : mirrors)
    }

    /// Invisible colours change nothing. A tint and a duotone ignore the alpha of their colours, an ellipse
    /// touches its bounds, and a hue turned by 360° stays the same.
    private mutating func foldColours() {
        if background?.isTransparent == true || backgroundSample != nil { background = nil }
        if trim?.color != nil { trim?.isByLastPixel = false }
        tint = tint.flatMap { $0.isTransparent ? nil : $0.opaque }
        if case .duotone(let start, let stop) = filter {
            filter = .duotone(start: start.opaque, stop: stop.opaque)
        }
        modulation.hue = (modulation.hue % 360 + 360) % 360
        if let sharpen, sharpen.sigma == nil { self.sharpen = Sharpening() }
        if mask?.shape == .ellipse { mask?.trims = false }
        if watermark?.opacity == 0 { watermark = nil }
        if text?.color.isTransparent == true { text = nil }
        text = text?.folded
        if let watermark {
            self.watermark?.shift = watermark.position == .tile ? PositionOffset() : watermark.shift.folded
        }
    }

    /// A margin of 0 is none, a corner without a radius is none, and squares of one pixel are pixels.
    private mutating func foldEdges() {
        if padding?.sides.isZero == true { padding = nil }
        radii = radii.flatMap { $0.isZero ? nil : $0.folded }
        if block == 1 { block = nil }
    }

    /// Each format has only its own settings, and a quality for all formats replaces those by format.
    private mutating func foldEncoding() {
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
    private mutating func foldPages() {
        if case .format(let format) = output, !format.canAnimate { pages = 1 }
        if pages == 1, output != .json { (loop, delays) = (nil, []) }
    }
}

extension Recipe {
    /// Multiplies the box of a recipe whose zoom is folded.
    mutating func scaleBox(by ratio: Double) {
        width = width?.multiplied(by: ratio)
        height = height?.multiplied(by: ratio)
        guard zoom != 1 else { return }
        let product = DecimalText.quantised(zoom * ratio)
        zoom = min(max(product, Self.zoomRange.lowerBound), Self.zoomRange.upperBound)
    }

    /// True for multiples of 90 degrees, 0 included.
    package var isQuarterTurn: Bool { rotation.truncatingRemainder(dividingBy: 90) == 0 }

    /// True if crop and canvas apply to exchanged sides. The recipe must be folded.
    var liesDownFirst: Bool { turnsFirst && [90, 270].contains(rotation) }
}

extension Recipe.Length {
    /// The length times the ratio, clamped to the range. Pixels are rounded, half away from zero; percentages
    /// to 0.0001.
    func multiplied(by ratio: Double) -> Recipe.Length {
        switch self {
        case .pixels(let pixels):
            return .pixels(pixels.multiplied(by: ratio, within: Self.pixelRange))
        case .percent(let percent):
            let product = DecimalText.quantised(percent * ratio)
            return .percent(min(max(product, Self.percentRange.lowerBound), Self.percentRange.upperBound))
        }
    }
}
