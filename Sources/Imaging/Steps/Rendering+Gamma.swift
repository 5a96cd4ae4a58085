// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    mutating func adjustGamma() throws(ImagingFailure) {
        guard recipe.gamma != 1 else { return }
        let levels = LevelTable.gamma(recipe.gamma)
        try change { (page) throws(ImagingFailure) in try page.mapped(levels) }
    }
}
