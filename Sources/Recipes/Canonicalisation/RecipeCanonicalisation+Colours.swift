// SPDX-License-Identifier: Apache-2.0

/// Colours, what lies over the picture, and its edges.
extension Recipe {
    /// Invisible colours change nothing. A tint and a duotone ignore the alpha of their colours, an ellipse
    /// touches its bounds, and a hue turned by 360° stays the same.
    mutating func canonicaliseColours() {
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
        text = text?.canonicalised
        if let watermark { self.watermark?.shift = watermark.effectiveShift }
    }

    /// A margin of 0 is none, a corner without a radius is none, and squares of one pixel are pixels.
    mutating func canonicaliseEdges() {
        if padding?.sides.isZero == true { padding = nil }
        radii = radii.flatMap { $0.isZero ? nil : $0.canonicalised }
        if block == 1 { block = nil }
    }
}
