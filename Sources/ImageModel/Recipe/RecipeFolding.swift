// SPDX-License-Identifier: Apache-2.0
//
// Equal pictures have equal spellings: what is certain to make no difference is set to its default before a
// recipe is spelt, keyed or compared. Each fold says why it is certain; what depends on the picture is left
// alone.

extension Recipe {
    /// The same picture, told in one way only. Idempotent.
    package var folded: Recipe {
        var recipe = self
        recipe.foldPixelRatio()
        recipe.foldWholeSize()
        recipe.foldFit()
        recipe.foldEnlargement()
        recipe.foldEncoding()
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
    /// padded. Only `cover` and `contain` look at the alignment, and only `cover` can look for what is
    /// interesting.
    private mutating func foldFit() {
        if (width == nil) != (height == nil), fit != .fill { fit = .inside }
        if width == nil, height == nil { fit = .inside }
        if fit != .cover, fit != .contain { alignment = .center }
        if fit == .contain, alignment == .entropy || alignment == .attention { alignment = .center }
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

    /// PNG and GIF have no quality; a format without animations takes one frame.
    private mutating func foldEncoding() {
        guard case .format(let format) = output else { return }
        if !format.hasQuality { quality = nil }
        if !format.canAnimate { pages = 1 }
    }
}

extension Recipe.Length {
    /// Rounded to a pixel, half away from zero, or to 0.0001 percent; in range.
    func multiplied(by ratio: Double) -> Recipe.Length {
        switch self {
        case .pixels(let pixels):
            let range = Self.pixelRange
            let product = (Double(pixels) * ratio).rounded()
            return .pixels(Int(min(max(product, Double(range.lowerBound)), Double(range.upperBound))))
        case .percent(let percent):
            let product = DecimalText.quantised(percent * ratio)
            return .percent(min(max(product, Self.percentRange.lowerBound), Self.percentRange.upperBound))
        }
    }
}
