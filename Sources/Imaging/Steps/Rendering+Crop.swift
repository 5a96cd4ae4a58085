// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    /// Takes the rectangle out of the upright original, before the resize.
    mutating func cropOriginal() throws(ImagingFailure) {
        guard let crop = recipe.crop, crop.beforeResize else { return }
        try cut(crop)
    }

    /// Takes the rectangle out of the resized picture.
    mutating func cropResult() throws(ImagingFailure) {
        guard let crop = recipe.crop, !crop.beforeResize else { return }
        try cut(crop)
    }

    private mutating func cut(_ crop: Crop) throws(ImagingFailure) {
        let size = picture.size
        let area = crop.area(of: size)
        guard area.size != size else { return }
        try change { (page) throws(ImagingFailure) in try page.cropped(x: area.x, y: area.y, to: area.size) }
    }
}
