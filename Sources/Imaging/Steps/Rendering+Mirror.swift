// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    /// Exchanges top and bottom (`flip`), and left and right (`flop`).
    mutating func mirror() throws(ImagingFailure) {
        if recipe.flip {
            try change { (page) throws(ImagingFailure) in try page.buffered().mirrored(vertically: true) }
        }
        if recipe.flop {
            try change { (page) throws(ImagingFailure) in try page.mirrored(vertically: false) }
        }
    }
}
