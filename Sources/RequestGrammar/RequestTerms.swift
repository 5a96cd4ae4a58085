// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders
package import Recipes

/// The terms of a request beside its recipe: how the recipe is resolved for an original, and which originals and
/// results it does not accept.
package struct RequestTerms: Sendable, Hashable {
    /// Percent of the settings' quality for a picture without a quality of its own; below 100 for a client that saves data.
    package var qualityPercent = 100
    /// Originals that are handed on as they are.
    package var passed = PassedOriginals.none
    /// Device pixels of a CSS pixel, already in the recipe's sizes; for a small original a lower ratio counts, 1 at least.
    package var pixelRatio = 1.0
    /// The canvas around the result where the original is too small for the recipe's box; nil for none.
    package var canvas: BoxCanvas?
    /// The crop counts as in thumbor and imagor: beyond the picture it cuts nothing.
    package var cropsWithin = false
    /// A drawing grows to the recipe's box, also where pictures may not.
    package var enlargesDrawings = false
    /// The format where neither the recipe nor `Accept` names one.
    package var defaultFormat = DefaultFormat.common
    /// The answer is an SVG, which is made of no other picture, or a refusal.
    package var wantsDrawing = false
    /// Limits of its URL, beside those of the settings.
    package var limits = URLLimits.none

    /// The terms of a request that names none.
    package init() {}

    /// The recipe as these terms have it for an original.
    package func fitting(_ recipe: Recipe, to header: ImageHeader) -> Recipe {
        let grown = enlargesDrawings ? recipe.enlargingDrawing(header) : recipe
        let within = cropsWithin ? grown.croppingWithin(header) : grown
        return within.fitting(header, from: pixelRatio, on: canvas)
    }
}
