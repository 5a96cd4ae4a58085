// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    /// Lays a colour under what is transparent. A picture that was made grey takes the colour's luma, one that came
    /// as grey becomes coloured by it.
    mutating func layOnBackground() throws(ImagingFailure) {
        guard let colour = recipe.background, !colour.isTransparent, picture.hasAlpha else { return }
        let staysGrey = recipe.filter == .greyscale
        let luma = colour.numbers(bands: 1)[0].rounded()
        let shown = staysGrey ? Color(grey: UInt8(luma), alpha: colour.alpha) : colour
        try change { (page) throws(ImagingFailure) in
            if colour.isOpaque {
                return try (shown.isGrey ? page : page.coloured()).flattened(on: shown)
            }
            let laid = try page.coloured().laid(on: shown)
            return try staysGrey ? laid.grey() : laid
        }
    }
}

extension Color {
    fileprivate init(grey level: UInt8, alpha: UInt8) {
        self.init(red: level, green: level, blue: level, alpha: alpha)
    }
}
