// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import Recipes

extension Picture {
    /// Converts to sRGB or grey of 8 bits a band.
    func plain() throws(ImagingFailure) -> Picture { try Picture(cvips_to_plain(image)) }

    /// Undoes the premultiplication of a TIFF's page, whose linear light was multiplied by alpha.
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

    /// Clears the colours of wholly transparent pixels.
    func cleared() throws(ImagingFailure) -> Picture { try Picture(cvips_clear(image)) }

    func addingAlpha(of other: Picture) throws(ImagingFailure) -> Picture {
        try Picture(cvips_with_alpha_of(image, other.image))
    }

    /// The picture with alpha; opaque alpha is added if it has none.
    func translucent() throws(ImagingFailure) -> Picture { try hasAlpha ? self : addingAlpha() }

    /// The picture without alpha, which is dropped.
    func opaque() throws(ImagingFailure) -> Picture {
        try hasAlpha ? bands(0..<facts.bands - 1) : self
    }

    /// Converts grey to RGB.
    func coloured() throws(ImagingFailure) -> Picture {
        try facts.bands < 3 ? Picture(cvips_to_rgb(image)) : self
    }

    func grey() throws(ImagingFailure) -> Picture {
        try facts.bands < 3 ? self : Picture(cvips_to_grey(image))
    }

    /// The picture laid on a colour, without alpha.
    func flattened(on colour: Color) throws(ImagingFailure) -> Picture {
        try Picture(cvips_flatten(image, colour.numbers(bands: facts.bands - 1)))
    }

    /// RGB with alpha, laid on a colour that may be translucent.
    func laid(on colour: Color) throws(ImagingFailure) -> Picture {
        try Picture(cvips_on_colour(image, colour.rgba))
    }

    func premultiplied() throws(ImagingFailure) -> Picture { try Picture(cvips_premultiply(image)) }

    func unpremultiplied() throws(ImagingFailure) -> Picture { try Picture(cvips_unpremultiply(image)) }

    /// As `premultiplied`, with a band behind alpha that `unpremultipliedWithRoom` needs.
    func premultipliedWithRoom() throws(ImagingFailure) -> Picture {
        try Picture(cvips_premultiply_with_room(image))
    }

    func unpremultipliedWithRoom() throws(ImagingFailure) -> Picture {
        try Picture(cvips_unpremultiply_with_room(image))
    }

    /// Linear light of 16 bits, multiplied by alpha.
    func light() throws(ImagingFailure) -> Picture { try Picture(cvips_to_linear(image)) }

    /// The inverse of `light`: sRGB samples.
    func numbers() throws(ImagingFailure) -> Picture { try Picture(cvips_from_linear(image)) }
}

extension Color {
    var rgba: [UInt8] { [red, green, blue, alpha] }

    /// The colour as a pixel of `bands` bands. Grey takes the luma, by the weights of sRGB's luminance. It is rounded, because the
    /// weighted sum of three equal levels is often a little less than the level.
    func numbers(bands: Int32) -> [Double] {
        let (red, green, blue, alpha) = (Double(red), Double(green), Double(blue), Double(alpha))
        let luma = (0.2126 * red + 0.7152 * green + 0.0722 * blue).rounded()
        return bands < 3
            ? Array([luma, alpha].prefix(Int(bands))) : Array([red, green, blue, alpha].prefix(Int(bands)))
    }

    var isGrey: Bool { red == green && green == blue }
}
