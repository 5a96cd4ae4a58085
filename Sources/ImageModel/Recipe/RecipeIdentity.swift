// SPDX-License-Identifier: Apache-2.0

extension Recipe {
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
        (rest.pngLevel, rest.adaptiveFilter, rest.jsonExtras) = (nil, false, [])
        guard rest == Recipe(), framesTaken(from: header) == header.pages else { return false }
        let plan = Geometry.plan(upright: header.upright, recipe: self)
        return plan.placement == .whole && plan.resized == header.upright
    }
}
