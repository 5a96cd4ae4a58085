// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

/// How small a loader may make the picture, so that the resize has enough left to do its work well.
enum ShrinkOnLoad {
    /// At which scale to decode a WebP: the size that is wanted, on the axis that shrinks less.
    static func webp(from stored: PixelSize, to target: PixelSize) -> Double {
        let horizontal = Double(target.width) / Double(stored.width)
        let vertical = Double(target.height) / Double(stored.height)
        return min(1, max(horizontal, vertical))
    }

    /// Pages of a pyramid whose last one is a pixel: sides are below 2³¹.
    static let mostLevels = 31

    /// Whether a page may be the picture halved as often as this, give or take the sum of roundings.
    static func isLevel(_ size: PixelSize, _ level: Int, of stored: PixelSize) -> Bool {
        func fits(_ side: Int, _ whole: Int) -> Bool {
            side >= 2 && side <= whole && abs(side - (whole >> level)) <= 5
        }
        return fits(size.width, stored.width) && fits(size.height, stored.height)
    }

    /// Whether a picture of this size need not grow to the wanted size. Percents are of another picture.
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
