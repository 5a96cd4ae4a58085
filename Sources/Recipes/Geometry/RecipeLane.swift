// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// True if all pixels of the original are looked at, so that none may be lost while it is loaded.
    package var cutsOriginal: Bool { trim != nil || crop?.beforeResize == true }

    /// True if no pixel of the original may be lost while it is loaded: smaller on load means by numbers.
    package var wantsAllPixels: Bool { cutsOriginal || linear }

    /// The size after the resize, as the picture is stored: before it is turned upright.
    package func storedTarget(for header: ImageHeader) -> PixelSize {
        Geometry.plan(upright: header.upright, recipe: self).resized.turned(by: header.orientation)
    }

    /// At which part of its size a JPEG is decoded: 8, 4, 2 or 1.
    ///
    /// libvips' own rule leaves a factor of 2 to the resize. A half is a good low pass, so it may leave less: with 1.6
    /// the likeness to a full decode falls by less than 0.001 (SSIM after JPEG at quality 80, 0.965 → 0.964), and the
    /// picture costs 1.7 times less. A quarter and an eighth are plain averages, which alias when they leave less.
    package static func jpegShrink(from stored: PixelSize, to target: PixelSize) -> Int {
        // Cannot trap: of Doubles.
        let factor = min(
            Double(stored.width) / Double(target.width), Double(stored.height) / Double(target.height))
        return factor >= 16 ? 8 : factor >= 8 ? 4 : factor >= 3.2 ? 2 : 1
    }

    /// True if the JPEG lane makes the rendition, as far as the header tells: of a JPEG that
    /// becomes smaller before anything else. The coded data may still be of a kind that is left to libvips.
    package func suitsJPEGLane(_ header: ImageHeader) -> Bool {
        // Of very small ones planes at a part of their size are a few samples, and their edges show; nor is there much
        // to gain.
        guard header.format == .jpeg, !wantsAllPixels, output.isMade,
            min(header.width, header.height) >= 64
        else { return false }
        let target = storedTarget(for: header)
        return target.width <= header.width && target.height <= header.height
            && target != header.stored
    }
}
