// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// Cuts the recipe's rectangle out of the upright original, before the resize.
    mutating func cropOriginal() throws(ImagingFailure) {
        guard let crop = recipe.crop, crop.beforeResize else { return }
        try cut(crop) { (scout) throws(ImagingFailure) in
            try scout.unify()
            try scout.showOriginal()
        }
    }

    /// Cuts the recipe's rectangle out of the resized picture.
    mutating func cropResult() throws(ImagingFailure) {
        guard let crop = recipe.crop, !crop.beforeResize else { return }
        try cut(crop) { (scout) throws(ImagingFailure) in
            try scout.reshape()
            try scout.cover()
        }
    }

    /// - Parameter prepare: takes a loaded frame through the steps before the cut.
    private mutating func cut(
        _ crop: Crop, after prepare: (inout Rendering) throws(ImagingFailure) -> Void
    ) throws(ImagingFailure) {
        let size = picture.size
        var area = crop.area(of: size)
        guard area.size != size else { return }
        if crop.anchor == .attention {
            let window = area.size
            (area.x, area.y) = try look(after: prepare) { (still) throws(ImagingFailure) in
                try still.attention(of: window)
            }
        }
        let kept = area
        try change { (page) throws(ImagingFailure) in try page.cropped(x: kept.x, y: kept.y, to: kept.size) }
    }
}
