// SPDX-License-Identifier: Apache-2.0
//
// Canonicalisation: options that cannot change the picture are set to their defaults before a recipe is
// spelled, keyed or compared, so that equal pictures have equal spellings. Each step says why it is certain;
// options whose effect depends on the picture are left alone.

internal import Bytes
internal import ImageHeaders

extension Recipe {
    /// The canonical recipe of the same picture. Idempotent.
    package var canonicalised: Recipe {
        guard output != .raw else { return .raw }
        var recipe = self
        recipe.canonicaliseDrawing()
        recipe.canonicaliseZoom()
        recipe.canonicalisePixelRatio()
        recipe.canonicaliseAspect()
        recipe.canonicaliseWholeSize()
        recipe.canonicaliseFit()
        recipe.canonicaliseEnlargement()
        recipe.canonicaliseCrop()
        recipe.canonicaliseTurns()
        recipe.canonicaliseTurnOrder()
        recipe.canonicaliseColours()
        recipe.canonicaliseEdges()
        recipe.canonicaliseEncoding()
        recipe.canonicalisePages()
        return recipe
    }

    /// A drawing is kept only if no format is requested.
    private mutating func canonicaliseDrawing() {
        if output != .source, output != .auto, !tellsOtherWidths { keepsDrawing = false }
    }

    /// The `srcset` in JSON lists URLs of the picture at other widths, whose format depends on `Accept`. All
    /// options that apply to those are kept.
    var tellsOtherWidths: Bool { output == .json && jsonExtras.contains(.srcset) }

    /// True if a ratio alone makes the box, without a side.
    package var isCutByRatioAlone: Bool {
        aspect != nil && width == nil && height == nil && fit != .inside && fit != .outside
    }

    /// True if something requests a size.
    var hasSize: Bool {
        width != nil || height != nil || aspect != nil || leastWidth != nil || leastHeight != nil
    }

    /// True if the fit cuts the picture to its box or fills the box up.
    var isPlacing: Bool { fit == .cover || fit == .contain || fit == .auto }
}

extension Recipe {
    /// Multiplies the box of a recipe whose zoom is canonical.
    mutating func scaleBox(by ratio: Double) {
        width = width?.multiplied(by: ratio)
        height = height?.multiplied(by: ratio)
        guard zoom != 1 else { return }
        let product = DecimalText.quantised(zoom * ratio)
        zoom = min(max(product, Self.zoomRange.lowerBound), Self.zoomRange.upperBound)
    }

    /// True for multiples of 90 degrees, 0 included.
    package var isQuarterTurn: Bool { rotation.truncatingRemainder(dividingBy: 90) == 0 }

    /// True if crop and canvas apply to exchanged sides. The recipe must be canonical.
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
