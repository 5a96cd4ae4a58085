// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    /// Keeps the lightness and gives all pixels the tint's a and b in CIE Lab.
    mutating func tint() throws(ImagingFailure) {
        guard let colour = recipe.tint.map(LabColour.init) else { return }
        try change { (page) throws(ImagingFailure) in
            let tinted = try page.opaque().tinted(colour)
            return try page.hasAlpha ? tinted.addingAlpha(of: page) : tinted
        }
    }
}
