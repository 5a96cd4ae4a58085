// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// Resizes with Lanczos-3, on samples or on linear light. Colours are multiplied by alpha before and divided
    /// afterwards, so that invisible pixels do not bleed into visible ones.
    mutating func resize(to target: PixelSize) throws(ImagingFailure) {
        let horizontal = Resampling(from: extent.width, to: target.width)
        let vertical = Resampling(from: extent.height, to: target.height)
        guard picture.size != target || !horizontal.isIdentity || !vertical.isIdentity else { return }
        // CMYK is resized as it is, because no tone curve is known for it.
        let isLinear = recipe.linear && (space == CVIPS_SPACE_RGB || space == CVIPS_SPACE_GREY)
        try change { (page) throws(ImagingFailure) in
            let padded = PixelSize(width: horizontal.padded, height: vertical.padded)
            let work = isLinear ? page.inLight : page.premultipliedWithRoom
            return try work { (picture) throws(ImagingFailure) in
                try picture.exactly(padded).scaled(horizontal.factor, vertical.factor).exactly(target)
            }
        }
    }
}

extension PixelSize {
    /// This size as the extent of a picture that has no fraction of a pixel.
    var extent: (width: Double, height: Double) { (Double(width), Double(height)) }
}

extension Picture {
    /// Cuts surplus pixels at the right and at the bottom, or repeats the last ones if some are missing.
    func exactly(_ canvas: PixelSize) throws(ImagingFailure) -> Picture {
        let size = size
        if size == canvas { return self }
        if size.width >= canvas.width, size.height >= canvas.height {
            return try cropped(x: 0, y: 0, to: canvas)
        }
        return try extended(to: canvas)
    }
}
