// SPDX-License-Identifier: Apache-2.0

import PixelReference

/// TIFF 6.0, big-endian, uncompressed, one strip a page.
enum TIFFFile {
    struct Page {
        var width: Int
        var height: Int
        /// Bits of each sample.
        var bits: [Int]
        /// 1 grey, 2 RGB, 5 inks, 8 Lab.
        var photometric: Int
        var samples: [UInt8]
        /// The EXIF orientation; nil for the file's.
        var orientation: Int?
        /// True if the samples are floats; for at least three samples a pixel.
        var hasFloats = false
        /// True if the colours are multiplied by the last sample.
        var isMultiplied = false

        static func rgb(_ canvas: Canvas) -> Page {
            Page(
                width: canvas.width, height: canvas.height, bits: [8, 8, 8], photometric: 2,
                samples: canvas.samples)
        }
    }

    static func write(_ pages: [Page], orientation: Int = 1) -> [UInt8] {
        var out = Array("MM\0*".utf8) + big32(8)
        for (index, page) in pages.enumerated() {
            // The directory, the bits of the samples, their formats, the pixels.
            let kinds = page.hasFloats ? page.bits.map { _ in 3 } : []
            let entries = 9 + (page.hasFloats ? 1 : 0) + (page.isMultiplied ? 1 : 0)
            let bitsAt = out.count + 6 + 12 * entries
            let kindsAt = bitsAt + 2 * page.bits.count
            let samplesAt = kindsAt + 2 * kinds.count
            let end = samplesAt + page.samples.count
            let padding = end % 2
            let bits = page.bits.count > 2 ? big32(bitsAt) : page.bits.flatMap(big16) + [0, 0]
            out += big16(entries) + long(256, page.width) + long(257, page.height)
            out += big16(258) + big16(3) + big32(page.bits.count) + bits.prefix(4)
            out += long(259, 1) + long(262, page.photometric) + long(273, samplesAt)
            out += big16(274) + big16(3) + big32(1) + big16(page.orientation ?? orientation) + [0, 0]
            out += long(277, page.bits.count) + long(279, page.samples.count)
            if page.isMultiplied { out += big16(338) + big16(3) + big32(1) + big16(1) + [0, 0] }
            if page.hasFloats { out += big16(339) + big16(3) + big32(kinds.count) + big32(kindsAt) }
            out += big32(index == pages.count - 1 ? 0 : end + padding)
            out += (page.bits + kinds).flatMap(big16) + page.samples + [UInt8](repeating: 0, count: padding)
        }
        return out
    }

    private static func long(_ tag: Int, _ value: Int) -> [UInt8] {
        big16(tag) + big16(4) + big32(1) + big32(value)
    }
}
