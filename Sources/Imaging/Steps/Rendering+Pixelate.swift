// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    /// Gives each square the mean of its pixels. Squares begin at the top left corner; those at the right and at the
    /// bottom may be narrower.
    mutating func pixelate() throws(ImagingFailure) {
        guard let side = recipe.block else { return }
        try change { (page) throws(ImagingFailure) in
            try page.premultiplied { (picture) throws(ImagingFailure) in
                try picture.inMemory().pixelated(side)
            }
        }
    }
}
