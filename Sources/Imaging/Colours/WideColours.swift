// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Recipe {
    /// The recipe with its colours converted from sRGB to Display P3 samples, so that they look the same.
    var inDisplayP3: Recipe {
        var recipe = self
        recipe.background = background?.inDisplayP3
        recipe.containBackground = containBackground.inDisplayP3
        recipe.rotationBackground = rotationBackground.inDisplayP3
        recipe.tint = tint?.inDisplayP3
        recipe.trim?.color = trim?.color?.inDisplayP3
        recipe.mask?.background = mask.map(\.background.inDisplayP3) ?? .transparent
        if let padding { recipe.padding?.background = padding.background.inDisplayP3 }
        return recipe
    }
}

extension Color {
    /// This sRGB colour as Display P3 samples.
    var inDisplayP3: Color {
        guard let matrix = Chromaticities.sRGB.conversion(to: .displayP3) else { return self }
        let light = matrix * [red, green, blue].map { ToneCurve.sRGB.value(Double($0) / 255) }
        let numbers = light.map { UInt8(clamping: Int((ToneCurve.encodedSRGB(max($0, 0)) * 255).rounded())) }
        return Color(red: numbers[0], green: numbers[1], blue: numbers[2], alpha: alpha)
    }
}

extension Picture {
    /// The result has 8 bits a band.
    func converted(by light: LightConversion) throws(ImagingFailure) -> Picture {
        try Picture(light.withTables { cvips_convert_light(image, &$0) })
    }

    /// Converts an sRGB picture, with alpha or without, to Display P3.
    func inDisplayP3() throws(ImagingFailure) -> Picture {
        let colours = ColourDescription(primaries: .sRGB, transfer: .sRGB)
        guard let light = LightConversion(colours, to: .displayP3) else { return self }
        return try converted(by: light)
    }
}
