// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import Recipes

/// Bands, alpha and colour spaces.
extension Picture {
    /// 8 bits a band of sRGB or grey.
    func plain() throws(ImagingFailure) -> Picture { try Picture(cvips_to_plain(image)) }

    /// A page of a TIFF, whose colours were multiplied by its alpha, as it is meant.
    func withDividedLight() throws(ImagingFailure) -> Picture { try Picture(cvips_divided_light(image)) }

    func toSRGB(from profile: cvips_profile_choice) throws(ImagingFailure) -> Picture {
        try Picture(cvips_profile_to_srgb(image, profile))
    }

    func toP3(from profile: cvips_profile_choice) throws(ImagingFailure) -> Picture {
        try Picture(cvips_profile_to_p3(image, profile))
    }

    func bands(_ range: Range<Int32>) throws(ImagingFailure) -> Picture {
        try Picture(cvips_take_bands(image, range.lowerBound, Int32(range.count)))
    }

    func addingAlpha() throws(ImagingFailure) -> Picture { try Picture(cvips_add_alpha(image)) }

    /// The picture without the colours of wholly transparent pixels.
    func cleared() throws(ImagingFailure) -> Picture { try Picture(cvips_clear(image)) }

    func addingAlpha(of other: Picture) throws(ImagingFailure) -> Picture {
        try Picture(cvips_with_alpha_of(image, other.image))
    }

    /// With alpha, whatever it was before.
    func translucent() throws(ImagingFailure) -> Picture { try hasAlpha ? self : addingAlpha() }

    /// Without alpha, which is dropped.
    func opaque() throws(ImagingFailure) -> Picture {
        try hasAlpha ? bands(0..<facts.bands - 1) : self
    }

    /// RGB, whatever it was before.
    func coloured() throws(ImagingFailure) -> Picture {
        try facts.bands < 3 ? Picture(cvips_to_rgb(image)) : self
    }

    func grey() throws(ImagingFailure) -> Picture {
        try facts.bands < 3 ? self : Picture(cvips_to_grey(image))
    }

    /// On a colour, without alpha.
    func flattened(on colour: Color) throws(ImagingFailure) -> Picture {
        try Picture(cvips_flatten(image, colour.numbers(bands: facts.bands - 1)))
    }

    /// RGB and alpha on a colour that may be translucent.
    func laid(on colour: Color) throws(ImagingFailure) -> Picture {
        try Picture(cvips_on_colour(image, colour.rgba))
    }

    func premultiplied() throws(ImagingFailure) -> Picture { try Picture(cvips_premultiply(image)) }

    func unpremultiplied() throws(ImagingFailure) -> Picture { try Picture(cvips_unpremultiply(image)) }

    /// Light in 16 bits, multiplied by alpha.
    func light() throws(ImagingFailure) -> Picture { try Picture(cvips_to_linear(image)) }

    /// The inverse of `light`: numbers of sRGB.
    func numbers() throws(ImagingFailure) -> Picture { try Picture(cvips_from_linear(image)) }
}

extension Color {
    var rgba: [UInt8] { [red, green, blue, alpha] }

    /// As a pixel of so many bands. Grey takes the colour's luma, by the weights of sRGB's luminance; the sum of three equal levels is
    /// often a little less than they are.
    func numbers(bands: Int32) -> [Double] {
        let (red, green, blue, alpha) = (Double(red), Double(green), Double(blue), Double(alpha))
        let luma = (0.2126 * red + 0.7152 * green + 0.0722 * blue).rounded()
        return bands < 3
            ? Array([luma, alpha].prefix(Int(bands))) : Array([red, green, blue, alpha].prefix(Int(bands)))
    }

    var isGrey: Bool { red == green && green == blue }
}
