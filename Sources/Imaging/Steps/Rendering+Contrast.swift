// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    /// Along a sigmoid, so that nothing is cut off at either end.
    mutating func adjustContrast() throws(ImagingFailure) {
        guard recipe.contrast != 0 else { return }
        let levels = LevelTable.contrast(recipe.contrast)
        try change { (page) throws(ImagingFailure) in try page.mapped(levels) }
    }
}
