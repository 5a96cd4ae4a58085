// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    /// Lays a colour under transparent pixels. A picture that the recipe made grey stays grey and takes the
    /// colour's luma. A picture that was grey from the beginning becomes RGB if the colour is not grey.
    mutating func layOnBackground() throws(ImagingFailure) {
        guard picture.hasAlpha else { return }
        let staysGrey = recipe.filter == .greyscale
        if let sample = recipe.backgroundSample {
            return try change { (page) throws(ImagingFailure) in
                let page = try page.inMemory()
                return try page.laidUnder(page.colour(of: sample), staysGrey: staysGrey)
            }
        }
        guard let colour = recipe.background, !colour.isTransparent else { return }
        try change { (page) throws(ImagingFailure) in try page.laidUnder(colour, staysGrey: staysGrey) }
    }
}

extension Picture {
    /// The picture laid on a colour.
    fileprivate func laidUnder(_ colour: Color, staysGrey: Bool) throws(ImagingFailure) -> Picture {
        let luma = colour.numbers(bands: 1)[0]
        let shown = staysGrey ? Color(grey: UInt8(luma), alpha: colour.alpha) : colour
        if colour.isOpaque { return try (shown.isGrey ? self : coloured()).flattened(on: shown) }
        let laid = try coloured().laid(on: shown)
        return try staysGrey ? laid.grey() : laid
    }
}

extension Color {
    fileprivate init(grey level: UInt8, alpha: UInt8) {
        self.init(red: level, green: level, blue: level, alpha: alpha)
    }
}
