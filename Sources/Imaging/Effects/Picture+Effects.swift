// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import Recipes

/// Effects: other samples at the same places.
extension Picture {
    /// Maps the colours by one table; alpha stays as it is.
    func mapped(_ levels: LevelTable) throws(ImagingFailure) -> Picture {
        let facts = facts
        let identity = LevelTable { $0 }
        let tables = (0..<facts.bands).map { facts.alpha && $0 == facts.bands - 1 ? identity : levels }
        return try mapped(tables)
    }

    /// Maps each band by its own table. A picture of one band gets as many bands as there are tables.
    func mapped(_ tables: [LevelTable]) throws(ImagingFailure) -> Picture {
        let table = (0..<256).flatMap { level in tables.map { $0[level] } }
        return try Picture(cvips_map_levels(image, table, Int32(tables.count)))
    }

    func recombined(_ matrix: [Double]) throws(ImagingFailure) -> Picture {
        try Picture(cvips_recombine(image, matrix))
    }

    func modulated(_ modulation: Modulation) throws(ImagingFailure) -> Picture {
        try Picture(
            cvips_modulate(image, modulation.brightness, modulation.saturation, Double(modulation.hue)))
    }

    /// The picture is RGB without alpha.
    func tinted(_ colour: LabColour) throws(ImagingFailure) -> Picture {
        try Picture(cvips_tint(image, colour.a, colour.b))
    }

    func blurred(sigma: Double) throws(ImagingFailure) -> Picture { try Picture(cvips_blur(image, sigma)) }

    func convolved(_ kernel: [Double], scale: Double) throws(ImagingFailure) -> Picture {
        try Picture(cvips_convolve(image, kernel, scale))
    }

    /// Mosaic squares of this side, in pixels. The picture must be in memory.
    func pixelated(_ side: Int) throws(ImagingFailure) -> Picture {
        try Picture(cvips_pixelate(image, Int32(side)))
    }

    func sharpened(sigma: Double, flat: Double, jagged: Double) throws(ImagingFailure) -> Picture {
        try Picture(cvips_sharpen(image, sigma, flat, jagged))
    }

    /// Takes the colours of `behind` at pixels that are wholly transparent here.
    func filled(from behind: Picture) throws(ImagingFailure) -> Picture {
        try Picture(cvips_fill_clear(image, behind.image))
    }

    /// Multiplies colours by alpha while `work` mixes neighbours, so that invisible pixels do not bleed into
    /// visible ones.
    func premultiplied(
        during work: (Picture) throws(ImagingFailure) -> Picture
    ) throws(ImagingFailure) -> Picture {
        guard hasAlpha else { return try work(self) }
        return try work(premultiplied()).unpremultiplied()
    }

    /// The same for work that overshoots, and would make opaque colours beside transparent ones too bright. The work gets a
    /// band more, behind alpha.
    func premultipliedWithRoom(
        during work: (Picture) throws(ImagingFailure) -> Picture
    ) throws(ImagingFailure) -> Picture {
        guard hasAlpha else { return try work(self) }
        return try work(premultipliedWithRoom()).unpremultipliedWithRoom()
    }

    func inLight(
        during work: (Picture) throws(ImagingFailure) -> Picture
    ) throws(ImagingFailure) -> Picture {
        try work(light()).numbers()
    }

    /// The upper picture is RGB with alpha, the lower one RGB with alpha or without.
    func overlaid(with upper: Picture, opacity: UInt8) throws(ImagingFailure) -> Picture {
        try Picture(cvips_overlay(image, upper.image, opacity))
    }

    /// A picture of one band.
    convenience init(_ coverage: Coverage) throws(ImagingFailure) {
        try self.init(samples: coverage.rendered(), size: coverage.size, bands: 1)
    }

    /// The picture, of RGB with alpha, inside the coverage, and `colour` outside.
    func masked(by coverage: Picture, outside colour: Color) throws(ImagingFailure) -> Picture {
        try Picture(cvips_mask(image, coverage.image, colour.rgba))
    }
}
