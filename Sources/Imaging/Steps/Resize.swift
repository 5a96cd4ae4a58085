// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageModel

extension Rendering {
    /// To the new size, by Lanczos-3. Colours are multiplied by alpha before and divided afterwards, so that what is
    /// invisible does not bleed into what is seen.
    mutating func resize() throws(ImagingFailure) {
        let target = target
        let horizontal = Resampling(from: extent.width, to: target.width)
        let vertical = Resampling(from: extent.height, to: target.height)
        pages = try pages.map { (page) throws(ImagingFailure) in
            guard page.size != target || !horizontal.isIdentity || !vertical.isIdentity else { return page }
            let alpha = page.hasAlpha
            let prepared = try alpha ? page.premultiplied() : page
            let padded = PixelSize(width: horizontal.padded, height: vertical.padded)
            let scaled = try prepared.resized(toCanvas: padded).scaled(horizontal.factor, vertical.factor)
            let exact = try scaled.resized(toCanvas: target)
            return try alpha ? exact.unpremultiplied() : exact
        }
    }
}

extension Picture {
    /// Cuts what is too much at the right and at the bottom; what is missing there repeats its neighbour.
    fileprivate func resized(toCanvas canvas: PixelSize) throws(ImagingFailure) -> Picture {
        let size = size
        if size == canvas { return self }
        if size.width >= canvas.width, size.height >= canvas.height {
            return try cropped(x: 0, y: 0, to: canvas)
        }
        return try embedded(x: 0, y: 0, in: canvas, surround: CVIPS_SURROUND_EDGE)
    }
}
