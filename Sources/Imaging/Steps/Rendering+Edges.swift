// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// Rounds the corners of each frame.
    mutating func roundCorners() throws(ImagingFailure) {
        guard let radii = recipe.radii else { return }
        let size = picture.size
        let coverage = try Picture(Coverage(outline: Outline(rounded: radii, in: size), size: size))
        try change { (page) throws(ImagingFailure) in
            try page.coloured().translucent().masked(by: coverage, outside: .transparent)
        }
    }

    /// Puts the padding around each frame.
    mutating func pad() throws(ImagingFailure) {
        guard let padding = recipe.padding else { return }
        let canvas = recipe.padded(picture.size)
        try checkSize(canvas)
        let colour = padding.background
        try change { (page) throws(ImagingFailure) in
            let coloured = try colour.isGrey && colour.isOpaque ? page : page.coloured()
            let base = try colour.isOpaque ? coloured : coloured.translucent()
            return try base.embedded(
                x: padding.sides.fourth, y: padding.sides.first, in: canvas, on: colour)
        }
    }
}
