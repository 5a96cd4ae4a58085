// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Picture {
    func scaled(_ horizontal: Double, _ vertical: Double) throws(ImagingFailure) -> Picture {
        try Picture(cvips_resize(image, horizontal, vertical))
    }

    func cropped(x: Int, y: Int, to size: PixelSize) throws(ImagingFailure) -> Picture {
        try Picture(cvips_crop(image, Int32(x), Int32(y), Int32(size.width), Int32(size.height)))
    }

    /// Extends the picture at the right and at the bottom by repeating its last pixels.
    func extended(to size: PixelSize) throws(ImagingFailure) -> Picture {
        try Picture(cvips_extend(image, Int32(size.width), Int32(size.height)))
    }

    func embedded(x: Int, y: Int, in size: PixelSize, on colour: Color) throws(ImagingFailure) -> Picture {
        let background = colour.numbers(bands: facts.bands)
        return try Picture(
            cvips_embed(image, Int32(x), Int32(y), Int32(size.width), Int32(size.height), background))
    }

    /// Repeats a picture in memory to the right and downwards.
    func tiled(over size: PixelSize) throws(ImagingFailure) -> Picture {
        try Picture(cvips_tile(image, Int32(size.width), Int32(size.height)))
    }

    /// Turns a picture in memory clockwise by any angle. Colours, also those of the background, are
    /// premultiplied by alpha.
    func rotated(by degrees: Double, background: [Double]) throws(ImagingFailure) -> Picture {
        try Picture(cvips_rotate(image, degrees, background))
    }

    /// The corner of the window with the highest entropy. The picture must be in memory.
    func entropy(of size: PixelSize) throws(ImagingFailure) -> (x: Int, y: Int) {
        var (x, y): (Int32, Int32) = (0, 0)
        guard cvips_entropy(image, Int32(size.width), Int32(size.height), &x, &y) == 0 else {
            throw Picture.failure()
        }
        return (Int(x), Int(y))
    }

    /// Turns a picture in memory clockwise by quarter turns.
    func turned(_ quarters: Int32) throws(ImagingFailure) -> Picture {
        try Picture(cvips_turn(image, quarters))
    }

    func mirrored(vertically: Bool) throws(ImagingFailure) -> Picture {
        try Picture(cvips_mirror(image, vertically))
    }

    /// Joins pages one below the other.
    static func joined(_ pages: [Picture]) throws(ImagingFailure) -> Picture {
        let images: [OpaquePointer?] = pages.map(\.image)
        return try Picture(images.withUnsafeBufferPointer { cvips_join($0.baseAddress, Int32($0.count)) })
    }

    /// The size of a frame where frames lie one below the other (`paged`), else of the picture.
    var frameSize: PixelSize { PixelSize(width: size.width, height: Int(cvips_page_height(image))) }

    /// Sets the height of a page; 0 declares a single page.
    func paged(height: Int) throws(ImagingFailure) -> Picture {
        try Picture(cvips_set_page_height(image, Int32(height)))
    }

    func watched(by watch: UnsafeMutablePointer<cvips_watch>) throws(ImagingFailure) -> Picture {
        try Picture(cvips_watched(image, watch))
    }
}
