// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// True if a step needs all pixels of the original, so that shrink-on-load must not drop any.
    package var cutsOriginal: Bool { trim != nil || crop?.beforeResize == true }

    /// True if shrink-on-load is not allowed, because a step needs all pixels, or because it would shrink
    /// samples instead of linear light.
    package var wantsAllPixels: Bool { cutsOriginal || linear }

    /// The size after the resize in the stored orientation, before the picture is turned upright.
    func storedTarget(for header: ImageHeader) -> PixelSize {
        Geometry.plan(upright: header.upright, recipe: self).resized.turned(by: header.orientation)
    }

    /// The divisor of the size at which a JPEG is decoded: 8, 4, 2 or 1.
    ///
    /// libvips' own rule leaves a factor of 2 to the resize. Decoding at a half is a good low-pass filter, so it may
    /// leave less: with 1.6 the likeness to a full decode falls by less than 0.001 (SSIM after JPEG at quality 80,
    /// 0.965 → 0.964), and decoding is 1.7 times cheaper. A quarter and an eighth are plain averages, which alias if
    /// they leave less than 2.
    package static func jpegShrink(from stored: PixelSize, to target: PixelSize) -> Int {
        // Cannot trap: floating-point arithmetic.
        let factor = min(
            Double(stored.width) / Double(target.width), Double(stored.height) / Double(target.height))
        return factor >= 16 ? 8 : factor >= 8 ? 4 : factor >= 3.2 ? 2 : 1
    }

    /// True if the JPEG lane makes the rendition, as far as the header tells: for a JPEG that is reduced
    /// before any other step. The coded data may still be of a kind that is left to libvips.
    package func suitsJPEGLane(_ header: ImageHeader) -> Bool {
        // Very small pictures are excluded, because at a fraction of their size a plane has only a few samples, whose
        // edges show, and little can be gained.
        guard header.format == .jpeg, !wantsAllPixels, output.isMade,
            min(header.width, header.height) >= 64
        else { return false }
        let target = storedTarget(for: header)
        return target.width <= header.width && target.height <= header.height
            && target != header.stored
    }
}
