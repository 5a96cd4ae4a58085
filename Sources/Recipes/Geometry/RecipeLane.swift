// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// True if all pixels of the original are looked at, so that none may be lost while it is loaded.
    package var cutsOriginal: Bool { trim != nil || crop?.beforeResize == true }

    /// True if no pixel of the original may be lost while it is loaded: smaller on load means by numbers.
    package var wantsAllPixels: Bool { cutsOriginal || linear }

    /// The size after the resize, as the picture is stored: before it is turned upright.
    package func storedTarget(for header: ImageHeader) -> PixelSize {
        let resized = Geometry.plan(upright: header.upright, recipe: self).resized
        return header.orientation >= 5 ? resized.lyingDown : resized
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
            && target != PixelSize(width: header.width, height: header.height)
    }
}
