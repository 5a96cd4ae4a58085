// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// What of an `output=json` has to be learnt from the pixels; a rendition that is no picture but JSON:
    /// `{"average":"#c08040","thumbhash":"…"}`. The box and the effects play no part: it tells of the source.
    package var inspection: Recipe {
        var recipe = Recipe()
        recipe.output = .json
        recipe.jsonExtras = jsonExtras.intersection([.average, .thumbhash])
        recipe.page = page
        return recipe
    }

    /// Whether nothing is asked of this picture but to be written again: its size, its colours, its frames and their
    /// timing stay. The original's own bytes would then do as well, if they are of the right format.
    ///
    /// How hard to compress is no change, and neither is a quality, since the original's is the best there is. To be
    /// interlaced is one.
    package func leavesPixels(of header: ImageHeader) -> Bool {
        var rest = folded
        (rest.width, rest.height, rest.fit, rest.alignment) = (nil, nil, .inside, .center)
        (rest.withoutEnlargement, rest.focalPoint) = (true, FocalPoint())
        (rest.output, rest.pages, rest.quality, rest.lossless) = (.source, 1, nil, false)
        (rest.pngLevel, rest.adaptiveFilter, rest.jsonExtras) = (nil, nil, [])
        guard rest == Recipe(), framesTaken(from: header) == header.pages else { return false }
        let plan = Geometry.plan(upright: header.upright, recipe: self)
        return plan.placement == .whole && plan.resized == header.upright
    }
}
