// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

/// An image of libvips: a promise of pixels, which are made when an encoder or `inMemory()` asks for them.
///
/// Every operation makes a new picture that holds on to its source.
final class Picture {
    let image: OpaquePointer

    /// Adopts the image that a function of CVips has made; nil is that function's failure.
    init(_ image: OpaquePointer?) throws(ImagingFailure) {
        guard let image else { throw .damaged(Picture.error()) }
        self.image = image
    }

    deinit { cvips_release(image) }

    /// A further reference, which the caller releases.
    func handedOver() -> OpaquePointer { cvips_retain(image) }

    /// libvips' words for its latest failures; they are forgotten by that.
    static func error() -> String {
        let words = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            buffer.initialize(repeating: 0)
            cvips_take_error(buffer.baseAddress, buffer.count)
            return buffer.withMemoryRebound(to: UInt8.self) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
            }
        }
        return words.isEmpty ? "no reason given" : words
    }

    var facts: cvips_facts {
        var facts = cvips_facts()
        cvips_describe(image, &facts)
        return facts
    }

    var size: PixelSize {
        let facts = facts
        return PixelSize(width: Int(facts.width), height: Int(facts.height))
    }

    var hasAlpha: Bool { facts.alpha }

    /// EXIF orientation, 1…8, of a TIFF's page.
    var orientation: Int { Int(cvips_orientation(image)) }

    /// The embedded ICC profile.
    var profile: [UInt8]? {
        var length = 0
        guard let bytes = cvips_profile(image, &length) else { return nil }
        return Array(UnsafeRawBufferPointer(start: bytes, count: length))
    }

    /// Makes the pixels now, so that they can be read in any order.
    func inMemory() throws(ImagingFailure) -> Picture { try Picture(cvips_to_memory(image)) }
}

// MARK: Colour

extension Picture {
    /// 8 bits a band of sRGB or grey.
    func plain() throws(ImagingFailure) -> Picture { try Picture(cvips_to_plain(image)) }

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

// MARK: Shape

extension Picture {
    func scaled(_ horizontal: Double, _ vertical: Double) throws(ImagingFailure) -> Picture {
        try Picture(cvips_resize(image, horizontal, vertical))
    }

    func cropped(x: Int, y: Int, to size: PixelSize) throws(ImagingFailure) -> Picture {
        try Picture(cvips_crop(image, Int32(x), Int32(y), Int32(size.width), Int32(size.height)))
    }

    /// The last pixels at the right and at the bottom are repeated.
    func extended(to size: PixelSize) throws(ImagingFailure) -> Picture {
        try Picture(cvips_extend(image, Int32(size.width), Int32(size.height)))
    }

    func embedded(x: Int, y: Int, in size: PixelSize, on colour: Color) throws(ImagingFailure) -> Picture {
        let background = colour.numbers(bands: facts.bands)
        return try Picture(
            cvips_embed(image, Int32(x), Int32(y), Int32(size.width), Int32(size.height), background))
    }

    /// A picture in memory, repeated to the right and downwards.
    func tiled(over size: PixelSize) throws(ImagingFailure) -> Picture {
        try Picture(cvips_tile(image, Int32(size.width), Int32(size.height)))
    }

    /// A picture in memory, clockwise by any angle. Colours are multiplied by alpha, the background's too.
    func rotated(by degrees: Double, background: [Double]) throws(ImagingFailure) -> Picture {
        try Picture(cvips_rotate(image, degrees, background))
    }

    /// Where the part with the highest entropy lies, of a picture in memory.
    func entropy(of size: PixelSize) throws(ImagingFailure) -> (x: Int, y: Int) {
        var (x, y): (Int32, Int32) = (0, 0)
        guard cvips_entropy(image, Int32(size.width), Int32(size.height), &x, &y) == 0 else {
            throw .damaged(Picture.error())
        }
        return (Int(x), Int(y))
    }

    /// Quarter turns clockwise, of a picture in memory.
    func turned(_ quarters: Int32) throws(ImagingFailure) -> Picture {
        try Picture(cvips_turn(image, quarters))
    }

    func mirrored(vertically: Bool) throws(ImagingFailure) -> Picture {
        try Picture(cvips_mirror(image, vertically))
    }

    /// One below the other.
    static func joined(_ pages: [Picture]) throws(ImagingFailure) -> Picture {
        let images: [OpaquePointer?] = pages.map(\.image)
        return try Picture(images.withUnsafeBufferPointer { cvips_join($0.baseAddress, Int32($0.count)) })
    }

    /// Made of pages of this height; 0: of one page.
    func paged(height: Int) throws(ImagingFailure) -> Picture {
        try Picture(cvips_set_page_height(image, Int32(height)))
    }

    func watched(by watch: UnsafeMutablePointer<cvips_watch>) throws(ImagingFailure) -> Picture {
        try Picture(cvips_watched(image, watch))
    }
}

// MARK: Effects

extension Picture {
    /// The colours through these levels; alpha stays.
    func mapped(_ levels: LevelTable) throws(ImagingFailure) -> Picture {
        let facts = facts
        let identity = LevelTable { $0 }
        let tables = (0..<facts.bands).map { facts.alpha && $0 == facts.bands - 1 ? identity : levels }
        return try mapped(tables)
    }

    /// Each band through its own; one band becomes as many as there are levels.
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

    /// RGB without alpha.
    func tinted(_ colour: LabColour) throws(ImagingFailure) -> Picture {
        try Picture(cvips_tint(image, colour.a, colour.b))
    }

    func blurred(sigma: Double) throws(ImagingFailure) -> Picture { try Picture(cvips_blur(image, sigma)) }

    func convolved(_ kernel: [Double], scale: Double) throws(ImagingFailure) -> Picture {
        try Picture(cvips_convolve(image, kernel, scale))
    }

    /// A picture in memory, in squares of this side.
    func pixelated(_ side: Int) throws(ImagingFailure) -> Picture {
        try Picture(cvips_pixelate(image, Int32(side)))
    }

    func sharpened(sigma: Double, flat: Double, jagged: Double) throws(ImagingFailure) -> Picture {
        try Picture(cvips_sharpen(image, sigma, flat, jagged))
    }

    /// With the colours of another picture where this one is wholly transparent.
    func filled(from behind: Picture) throws(ImagingFailure) -> Picture {
        try Picture(cvips_fill_clear(image, behind.image))
    }

    /// Colours multiplied by alpha while `work` looks at neighbours, so that invisible pixels do not bleed into
    /// visible ones.
    func premultiplied(
        during work: (Picture) throws(ImagingFailure) -> Picture
    ) throws(ImagingFailure) -> Picture {
        guard hasAlpha else { return try work(self) }
        return try work(premultiplied()).unpremultiplied()
    }

    func inLight(
        during work: (Picture) throws(ImagingFailure) -> Picture
    ) throws(ImagingFailure) -> Picture {
        try work(light()).numbers()
    }

    /// RGB and alpha over RGB, with alpha or without.
    func overlaid(with upper: Picture, opacity: UInt8) throws(ImagingFailure) -> Picture {
        try Picture(cvips_overlay(image, upper.image, opacity))
    }

    /// RGB and alpha, seen through the coverage; the colour is outside.
    func masked(by coverage: Picture, outside colour: Color) throws(ImagingFailure) -> Picture {
        try Picture(cvips_mask(image, coverage.image, colour.rgba))
    }
}

// MARK: Looking

extension Picture {
    /// Copies the samples, row by row: of grey (one band) or sRGB.
    convenience init(samples: [UInt8], size: PixelSize, bands: Int32) throws(ImagingFailure) {
        try self.init(cvips_from_memory(samples, Int32(size.width), Int32(size.height), bands))
    }

    /// The numbers of a pixel of a picture in memory.
    func pixel(x: Int, y: Int) throws(ImagingFailure) -> [Double] {
        var values = [Double](repeating: 0, count: 4)
        guard cvips_pixel(image, Int32(x), Int32(y), &values) == 0 else { throw .damaged(Picture.error()) }
        return Array(values.prefix(Int(facts.bands)))
    }

    /// The box around the pixels that are not background, of a picture in memory; nil if there are none.
    func contents(threshold: Int, background: [Double]) throws(ImagingFailure) -> PixelArea? {
        var area = cvips_area()
        let count = Int32(background.count)
        guard cvips_find_trim(image, Double(threshold), background, count, &area) == 0 else {
            throw .damaged(Picture.error())
        }
        guard area.width > 0, area.height > 0 else { return nil }
        return PixelArea(
            x: Int(area.left), y: Int(area.top), width: Int(area.width), height: Int(area.height))
    }
}

extension Color {
    fileprivate var rgba: [UInt8] { [red, green, blue, alpha] }

    /// As a pixel of so many bands. Grey takes the colour's luma, by the weights of sRGB's luminance.
    func numbers(bands: Int32) -> [Double] {
        let (red, green, blue, alpha) = (Double(red), Double(green), Double(blue), Double(alpha))
        let luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
        return bands < 3
            ? Array([luma, alpha].prefix(Int(bands))) : Array([red, green, blue, alpha].prefix(Int(bands)))
    }

    var isGrey: Bool { red == green && green == blue }
}
