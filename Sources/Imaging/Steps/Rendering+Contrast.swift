// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    /// Applies a sigmoid, which clips neither end.
    mutating func adjustContrast() throws(ImagingFailure) {
        guard recipe.contrast != 0 else { return }
        let levels = LevelTable.contrast(recipe.contrast)
        try change { (page) throws(ImagingFailure) in try page.mapped(levels) }
    }
}
