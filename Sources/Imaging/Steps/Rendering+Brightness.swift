// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    /// Adds to every channel.
    mutating func adjustBrightness() throws(ImagingFailure) {
        guard recipe.brightness != 0 else { return }
        let levels = Levels.brightness(recipe.brightness)
        try change { (page) throws(ImagingFailure) in try page.mapped(levels) }
    }
}
