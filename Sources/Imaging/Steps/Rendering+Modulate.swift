// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    /// Changes lightness, chroma and hue in CIE LCh. Grey has neither chroma nor hue and stays grey.
    mutating func modulate() throws(ImagingFailure) {
        let modulation = recipe.modulation
        guard modulation != .none else { return }
        try change { (page) throws(ImagingFailure) in try page.modulated(modulation) }
    }
}
