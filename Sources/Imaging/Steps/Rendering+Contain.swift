// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    /// Puts the picture on the canvas, with bars around it. Bars are a colour, so grey becomes RGB.
    mutating func contain() throws(ImagingFailure) {
        guard case .embed = geometry.placement else { return }
        let (canvas, colour) = (geometry.canvas, recipe.containBackground)
        // The rectangle may have made the picture smaller than the plan has it.
        let corner = Geometry.corner(
            of: picture.size, on: canvas, recipe.alignment, recipe.focalPoint, recipe.shift)
        try change { (page) throws(ImagingFailure) in
            let coloured = try page.coloured()
            let base = colour.isOpaque ? coloured : try coloured.translucent()
            return try base.embedded(x: corner.x, y: corner.y, in: canvas, on: colour)
        }
    }
}
