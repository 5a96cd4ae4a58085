// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageModel

extension Rendering {
    /// To the new size, by Lanczos-3. Colours are multiplied by alpha before and divided afterwards, so that what is
    /// invisible does not bleed into what is seen.
    mutating func resize() throws(ImagingFailure) {
        let target = target
        let factors = (Double(target.width) / extent.width, Double(target.height) / extent.height)
        try eachPage { (page) throws(ImagingFailure) in
            guard page.size != target else { return page }
            let alpha = page.hasAlpha
            let prepared = alpha ? try page.premultiplied() : page
            let scaled = try Self.fit(prepared.scaled(factors.0, factors.1), to: target)
            return alpha ? try scaled.unpremultiplied() : scaled
        }
    }

    /// libvips rounds the size by itself; a pixel too many is cut, one that is missing repeats its neighbour.
    private static func fit(_ picture: Picture, to target: PixelSize) throws(ImagingFailure) -> Picture {
        let size = picture.size
        if size == target { return picture }
        if size.width >= target.width, size.height >= target.height {
            return try picture.cropped(x: 0, y: 0, to: target)
        }
        return try picture.embedded(x: 0, y: 0, in: target, surround: CVIPS_SURROUND_EDGE)
    }
}
