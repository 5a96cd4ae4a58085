// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    /// Shows each frame through a shape.
    mutating func mask() throws(ImagingFailure) {
        guard let mask = recipe.mask else { return }
        let size = picture.size
        let outline = Outline(mask.shape, in: size)
        let coverage = try Picture(Coverage(outline: outline, size: size))
        try change { (page) throws(ImagingFailure) in
            let masked = try page.coloured().translucent().masked(by: coverage, outside: mask.background)
            return try mask.background.isOpaque && !page.hasAlpha ? masked.opaque() : masked
        }
        if mask.trims, mask.shape != .ellipse, outline.bounds.size != size {
            let bounds = outline.bounds
            try change { (page) throws(ImagingFailure) in
                try page.cropped(x: bounds.x, y: bounds.y, to: bounds.size)
            }
        }
    }
}
