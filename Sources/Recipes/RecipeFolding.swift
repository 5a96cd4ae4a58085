// SPDX-License-Identifier: Apache-2.0
//
// Equal pictures have equal spellings: what is certain to make no difference is set to its default before a
// recipe is spelt, keyed or compared. Each fold says why it is certain; what depends on the picture is left
// alone.

internal import Bytes
internal import ImageHeaders

extension Recipe {
    /// The same picture, told in one way only. Idempotent.
    package var folded: Recipe {
        var recipe = self
        recipe.foldPixelRatio()
        recipe.foldWholeSize()
        recipe.foldFit()
        recipe.foldEnlargement()
        recipe.foldCrop()
        recipe.foldTurns()
        recipe.foldTurnOrder()
        recipe.foldColours()
        recipe.foldEncoding()
        recipe.foldPages()
        return recipe
    }

    /// The ratio does nothing but multiply, so the lengths carry it. Out of range ends at the range's end.
    private mutating func foldPixelRatio() {
        width = width?.multiplied(by: pixelRatio)
        height = height?.multiplied(by: pixelRatio)
        pixelRatio = 1
    }

    /// 100 % of what the other side does not contradict is the original size, whatever the fit.
    private mutating func foldWholeSize() {
        let whole: [Length?] = [nil, .percent(100)]
        if whole.contains(width), whole.contains(height) { (width, height) = (nil, nil) }
    }

    /// With one side given, the other follows by ratio under every fit but `fill`, and nothing is cropped or
    /// padded. Only `cover` and `contain` look at the alignment, only `cover` can look for what is interesting,
    /// only `contain` has bars. A focal point in the middle is the middle (`Geometry` rounds both alike).
    private mutating func foldFit() {
        if (width == nil) != (height == nil), fit != .fill { fit = .inside }
        if width == nil, height == nil { fit = .inside }
        if fit != .cover, fit != .contain { alignment = .center }
        if fit == .contain, alignment == .entropy || alignment == .attention { alignment = .center }
        if alignment != .focal { focalPoint = FocalPoint() }
        if alignment == .focal, focalPoint == FocalPoint() { alignment = .center }
        if fit != .contain { containBackground = .transparent }
    }

    /// Percentages up to 100 enlarge nothing; neither does the absence of a size.
    private mutating func foldEnlargement() {
        let mayEnlarge = [width, height].contains { length in
            switch length {
            case nil: false
            case .pixels: true
            case .percent(let percent): percent > 100
            }
        }
        if !mayEnlarge { withoutEnlargement = true }
    }

    /// Offsets of nothing and lengths of the whole are what holds without them, and a crop of all is none. Without a
    /// size there is no resize for it to come before.
    private mutating func foldCrop() {
        guard var crop else { return }
        let nothing: [Length?] = [.pixels(0), .percent(0)]
        if nothing.contains(crop.x) { crop.x = nil }
        if nothing.contains(crop.y) { crop.y = nil }
        if crop.width == .percent(100) { crop.width = nil }
        if crop.height == .percent(100) { crop.height = nil }
        if width == nil, height == nil { crop.beforeResize = false }
        let cuts = [crop.x, crop.y, crop.width, crop.height].contains { $0 != nil }
        self.crop = cuts ? crop : nil
    }

    /// A full turn is none. Right angles and mirrors are the eight symmetries of a rectangle, so both mirrors are
    /// half a turn, and half a turn with one mirror is the other one. Only other angles leave corners.
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

    /// When to turn is told by nothing but a cut, a canvas, and a rotation by another angle that a mirror reverses.
    private mutating func foldTurnOrder() {
        let mirrors = flip || flop
        let cuts = crop != nil || fit == .cover || fit == .contain
        turnsFirst = turnsFirst && (isQuarterTurn ? cuts && (mirrors || rotation != 0) : mirrors)
    }

    /// What is invisible is nothing. A tint and a duotone look at the hue of their colours alone, an ellipse reaches
    /// its bounds, and a turn of the hue by 360° is none.
    private mutating func foldColours() {
        if background?.isTransparent == true { background = nil }
        tint = tint.flatMap { $0.isTransparent ? nil : $0.opaque }
        if case .duotone(let start, let stop) = filter {
            filter = .duotone(start: start.opaque, stop: stop.opaque)
        }
        modulation.hue = (modulation.hue % 360 + 360) % 360
        if let sharpen, sharpen.sigma == nil { self.sharpen = Sharpening() }
        if mask?.shape == .ellipse { mask?.trims = false }
        if watermark?.opacity == 0 { watermark = nil }
    }

    /// Each format listens to its own settings.
    private mutating func foldEncoding() {
        switch output {
        case .source, .auto: jsonExtras = []
        case .json: forgetEncoding { _ in false }
        case .format(let format):
            jsonExtras = []
            forgetEncoding { format.listens(to: $0) }
        }
    }

    private mutating func forgetEncoding(unless listens: (EncoderSetting) -> Bool) {
        if !listens(.quality) { quality = nil }
        if !listens(.level) { pngLevel = nil }
        if !listens(.filters) { adaptiveFilter = nil }
        if !listens(.interlaced) { interlaced = false }
        if !listens(.lossless) { lossless = false }
    }

    /// A format without animations takes one frame, and one frame has no timing; JSON tells what was asked for.
    private mutating func foldPages() {
        if case .format(let format) = output, !format.canAnimate { pages = 1 }
        if pages == 1, output != .json { (loop, delays) = (nil, []) }
    }
}

extension Recipe {
    /// Nought is one too.
    package var isQuarterTurn: Bool { rotation.truncatingRemainder(dividingBy: 90) == 0 }

    /// The cuts see width and height exchanged. The recipe is folded.
    var liesDownFirst: Bool { turnsFirst && [90, 270].contains(rotation) }
}

extension Recipe.Length {
    /// Rounded to a pixel, half away from zero, or to 0.0001 percent; in range.
    func multiplied(by ratio: Double) -> Recipe.Length {
        switch self {
        case .pixels(let pixels):
            let range = Self.pixelRange
            let product = (Double(pixels) * ratio).rounded()
            // Cannot trap: pixels and ratio are numbers of a range.
            return .pixels(Int(min(max(product, Double(range.lowerBound)), Double(range.upperBound))))
        case .percent(let percent):
            let product = DecimalText.quantised(percent * ratio)
            return .percent(min(max(product, Self.percentRange.lowerBound), Self.percentRange.upperBound))
        }
    }
}
