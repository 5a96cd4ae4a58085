// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

/// How far a loader may shrink the picture, so that the resize still has enough pixels for a good result.
enum ShrinkOnLoad {
    /// The scale at which to decode a WebP: that of the axis that shrinks less.
    static func webp(from stored: PixelSize, to target: PixelSize) -> Double {
        let horizontal = Double(target.width) / Double(stored.width)
        let vertical = Double(target.height) / Double(stored.height)
        return min(1, max(horizontal, vertical))
    }

    /// The most levels of a pyramid whose last page is a single pixel: sides are below 2³¹.
    static let mostLevels = 31

    /// Whether a page can be the picture halved `level` times, within the sum of roundings.
    static func isLevel(_ size: PixelSize, _ level: Int, of stored: PixelSize) -> Bool {
        func fits(_ side: Int, _ whole: Int) -> Bool {
            side >= 2 && side <= whole && abs(side - (whole >> level)) <= 5
        }
        return fits(size.width, stored.width) && fits(size.height, stored.height)
    }

    /// Whether a picture of this size need not be enlarged to the wanted size. False for sizes in percent,
    /// which refer to the full picture.
    static func suffices(_ upright: PixelSize, for recipe: Recipe) -> Bool {
        let sides = [recipe.width, recipe.height].compactMap(\.self)
        guard !recipe.withoutReduction, !sides.isEmpty,
            sides.allSatisfy({ if case .pixels = $0 { true } else { false } })
        else {
            return false
        }
        var growing = recipe
        growing.withoutEnlargement = false
        let resized = Geometry.plan(upright: upright, recipe: growing).resized
        return resized.width <= upright.width && resized.height <= upright.height
    }

    /// Whether an embedded thumbnail shows the whole picture and is larger than the wanted size.
    static func canReplace(_ picture: PixelSize, by thumbnail: PixelSize, for target: PixelSize) -> Bool {
        guard thumbnail.width > target.width, thumbnail.height > target.height,
            thumbnail.width < picture.width
        else { return false }
        // The same shape, up to a pixel of rounding.
        let height = Double(picture.height) * Double(thumbnail.width) / Double(picture.width)
        return abs(height - Double(thumbnail.height)) <= 1
    }
}
