// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// Writes the recipe's text over every frame.
    mutating func writeText() throws(ImagingFailure) {
        guard let text = recipe.text else { return }
        let canvas = picture.size
        guard let plain = try Self.stamp(text, within: canvas) else { return }
        let stamp = isWide ? try plain.inDisplayP3() : plain
        let layer = try stamp.placed(text.position, text.shift, in: canvas)
        try change { (page) throws(ImagingFailure) in
            try page.coloured().overlaid(with: layer, opacity: text.color.alpha)
        }
    }

    /// The font size in pixels at which a text is drawn first, to measure it.
    private static let measure = 12

    /// The text in memory as RGB with alpha, no larger than the picture. Nil if nothing of it is visible.
    private static func stamp(_ text: TextOverlay, within canvas: PixelSize) throws(ImagingFailure)
        -> Picture?
    {
        let width = text.lineWidth(on: canvas)
        let small = min(text.size, measure)
        // Cannot trap: sizes are at least 1.
        let scale = Double(text.size) / Double(small)
        // Drawing fails for a text of blanks or invisible characters.
        guard let sample = try? draw(text, size: small, width: Int((Double(width) / scale).rounded(.up)))
        else {
            _ = Picture.error()
            return nil
        }
        guard Double(sample.size.area) * scale * scale <= Double(text.pixelBound) else {
            throw .outputTooLarge(.textPixels(text.pixelBound))
        }
        let whole = small == text.size ? sample : try draw(text, size: text.size, width: width)
        return try whole.cut(to: canvas, text.position).inMemory()
    }

    /// - Parameters:
    ///   - size: the font size in pixels, in place of the text's own.
    ///   - width: the longest line in pixels.
    private static func draw(
        _ text: TextOverlay, size: Int, width: Int
    ) throws(ImagingFailure) -> Picture {
        let (red, green, blue) = (text.color.red, text.color.green, text.color.blue)
        let side: cvips_side =
            switch text.lineSide {
            case .left: CVIPS_LEFT
            case .center: CVIPS_CENTRE
            case .right: CVIPS_RIGHT
            }
        return try Picture(
            cvips_text(
                text.text, "\(text.font ?? "sans") \(size)px",
                UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue), Int32(clamping: width), side))
    }
}

extension TextOverlay {
    /// The longest line on this picture, in pixels.
    fileprivate func lineWidth(on canvas: PixelSize) -> Int {
        max(1, width?.pixels(of: canvas.width) ?? canvas.width - abs(shift.pixels(in: canvas).x))
    }
}

extension Picture {
    /// The part at that place, no larger than the canvas.
    fileprivate func cut(to canvas: PixelSize, _ place: Recipe.Alignment) throws(ImagingFailure) -> Picture {
        let kept = PixelSize(width: min(size.width, canvas.width), height: min(size.height, canvas.height))
        guard kept != size else { return self }
        let corner = Geometry.corner(of: kept, on: size, place)
        return try cropped(x: corner.x, y: corner.y, to: kept)
    }
}
