// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageModel

/// An image of libvips: a promise of pixels, which are made when an encoder or `inMemory()` asks for them.
///
/// Every operation makes a new picture that holds on to what it was made from.
final class Picture {
    let image: OpaquePointer

    /// Adopts what a function of CVips has made; nil is that function's failure.
    init(_ image: OpaquePointer?) throws(ImagingFailure) {
        guard let image else { throw .damaged(Picture.error()) }
        self.image = image
    }

    deinit { cvips_release(image) }

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

    func bands(_ range: Range<Int32>) throws(ImagingFailure) -> Picture {
        try Picture(cvips_take_bands(image, range.lowerBound, Int32(range.count)))
    }

    func addingAlpha() throws(ImagingFailure) -> Picture { try Picture(cvips_add_alpha(image)) }

    /// On white, without alpha.
    func flattened() throws(ImagingFailure) -> Picture { try Picture(cvips_flatten(image)) }

    func premultiplied() throws(ImagingFailure) -> Picture { try Picture(cvips_premultiply(image)) }

    func unpremultiplied() throws(ImagingFailure) -> Picture { try Picture(cvips_unpremultiply(image)) }
}

// MARK: Shape

extension Picture {
    func scaled(_ horizontal: Double, _ vertical: Double) throws(ImagingFailure) -> Picture {
        try Picture(cvips_resize(image, horizontal, vertical))
    }

    func cropped(x: Int, y: Int, to size: PixelSize) throws(ImagingFailure) -> Picture {
        try Picture(cvips_crop(image, Int32(x), Int32(y), Int32(size.width), Int32(size.height)))
    }

    func embedded(
        x: Int, y: Int, in size: PixelSize, surround: cvips_surround
    ) throws(ImagingFailure) -> Picture {
        try Picture(cvips_embed(image, Int32(x), Int32(y), Int32(size.width), Int32(size.height), surround))
    }

    /// Where the most interesting part of a picture in memory lies.
    func interest(
        of size: PixelSize, byAttention: Bool
    ) throws(ImagingFailure) -> (x: Int, y: Int) {
        var (x, y): (Int32, Int32) = (0, 0)
        guard cvips_interest(image, Int32(size.width), Int32(size.height), byAttention, &x, &y) == 0 else {
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
