// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

/// An image of libvips: a promise of pixels, which are computed when an encoder or `inMemory()` asks for
/// them.
///
/// Every operation makes a new picture that retains its source.
final class Picture {
    let image: OpaquePointer

    /// Adopts the image that a CVips function has made; nil means that the function failed.
    init(_ image: OpaquePointer?) throws(ImagingFailure) {
        guard let image else { throw Picture.failure() }
        self.image = image
    }

    deinit { cvips_release(image) }

    /// A further reference, which the caller releases.
    func handedOver() -> OpaquePointer { cvips_retain(image) }

    /// libvips' messages about its latest failures. Reading them clears them.
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

    /// The failure to compute pixels, by libvips' messages, which are cleared.
    static func failure() -> ImagingFailure { .ofPixels(error()) }

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

    /// The EXIF orientation, 1…8, of a TIFF's page.
    var orientation: Int { Int(cvips_orientation(image)) }

    /// The embedded ICC profile.
    var profile: [UInt8]? {
        var length = 0
        guard let bytes = cvips_profile(image, &length) else { return nil }
        return Array(UnsafeRawBufferPointer(start: bytes, count: length))
    }

    /// Computes the pixels now, so that they can be read in any order.
    func inMemory() throws(ImagingFailure) -> Picture { try Picture(cvips_to_memory(image)) }

    /// The same for a step whose operations read pixels in any order, but which does not look at them itself. The step of an
    /// animation is then built only once, and computed for each frame.
    func buffered() throws(ImagingFailure) -> Picture { try Picture(cvips_buffered(image)) }
}

// MARK: Pixels in memory

extension Picture {
    /// Copies samples of grey (one band) or sRGB, row by row.
    convenience init(samples: [UInt8], size: PixelSize, bands: Int32) throws(ImagingFailure) {
        try self.init(cvips_from_memory(samples, Int32(size.width), Int32(size.height), bands))
    }

    /// The samples of one pixel. The picture must be in memory.
    func pixel(x: Int, y: Int) throws(ImagingFailure) -> [Double] {
        var values = [Double](repeating: 0, count: 4)
        guard cvips_pixel(image, Int32(x), Int32(y), &values) == 0 else { throw Picture.failure() }
        return Array(values.prefix(Int(facts.bands)))
    }

    /// The box around the pixels that differ from the background; nil if there are none. The picture must be
    /// in memory.
    /// - Parameter looksOverNoise: single pixels, and lines one pixel wide, count as background.
    func contents(
        threshold: Int, background: [Double], looksOverNoise: Bool
    ) throws(ImagingFailure) -> PixelArea? {
        var area = cvips_area()
        let count = Int32(background.count)
        let find = looksOverNoise ? cvips_find_trim : cvips_find_contents
        guard find(image, Double(threshold), background, count, &area) == 0 else {
            throw Picture.failure()
        }
        guard area.width > 0, area.height > 0 else { return nil }
        return PixelArea(
            x: Int(area.left), y: Int(area.top), width: Int(area.width), height: Int(area.height))
    }
}
