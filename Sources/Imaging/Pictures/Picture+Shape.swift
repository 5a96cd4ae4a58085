// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

/// Size, position and order of the pixels.
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
            throw Picture.failure()
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
