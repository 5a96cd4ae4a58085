// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders
package import Recipes

/// The terms of a request beside its recipe: how the recipe is resolved for an original, and which originals and
/// results it does not accept.
package struct RequestTerms: Sendable, Hashable {
    /// Percent of the settings' quality, for a picture without a quality of its own; below 100 for a client that saves data.
    package var qualityPercent = 100
    /// Originals that are passed on unchanged.
    package var passed = PassedOriginals.none
    /// Device pixels per CSS pixel, already multiplied into the recipe's sizes. For a small original a lower ratio is used, at least
    /// 1.
    package var pixelRatio = 1.0
    /// The canvas around the result if the original is too small for the recipe's box; nil for none.
    package var canvas: BoxCanvas?
    /// True to crop as thumbor and imagor do: the part of a crop outside of the picture cuts nothing.
    package var cropsWithin = false
    /// True if an SVG is enlarged to the recipe's box even where pictures must not be enlarged.
    package var enlargesDrawings = false
    /// The format if neither the recipe nor `Accept` names one.
    package var defaultFormat = DefaultFormat.common
    /// True if the answer must be an SVG, which can only be made of an SVG; any other original is refused.
    package var wantsDrawing = false
    /// Limits set by the URL, in addition to those of the settings.
    package var limits = URLLimits.none

    /// The default terms.
    package init() {}

    /// The recipe as these terms change it for an original.
    package func fitting(_ recipe: Recipe, to header: ImageHeader) -> Recipe {
        let grown = enlargesDrawings ? recipe.enlargingDrawing(header) : recipe
        let within = cropsWithin ? grown.croppingWithin(header) : grown
        return within.fitting(header, from: pixelRatio, on: canvas)
    }
}
