// SPDX-License-Identifier: Apache-2.0

/// A picture's header, which is read before any decoder sees a byte.
package struct ImageHeader: Sendable, Hashable {
    /// The format by the first bytes.
    package var format: ImageFormat
    /// Pixels as stored, before the EXIF orientation is applied. 0 if only the decoder can tell: for PDF, and
    /// for SVG without a size.
    package var width: Int
    /// Pixels as stored, of one page.
    package var height: Int
    /// Frames of an animation, pages of a document; 1 for a still.
    package var pages: Int
    /// EXIF orientation, 1…8; 1 where the format's own decoder applies it (HEIC, AVIF, JPEG XL).
    package var orientation: Int
    /// True if pixels may be transparent.
    package var hasAlpha: Bool
    /// False for codings that no decoder here supports: lossless, hierarchical and 12-bit JPEG and those of more than four
    /// components, bitmaps that hold a JPEG, a PNG or CMYK, TIFF samples of rare kinds, a HEIF in both AV1 and HEVC, or in
    /// another coding, and a JPEG XL with black or several channels beside its colours.
    package var isDecodable: Bool
    /// True if the pixels come in several passes, so that a decoder must hold all of them: progressive JPEG,
    /// interlaced PNG.
    package var isProgressive: Bool
    /// True for AVIF, HEIC, JPEG XL and PNG whose samples have more than 8 bits, which a decoder holds in two bytes each, and for
    /// TIFF of such samples if it holds much of the picture at a time.
    package var isDeep: Bool
    /// False if the file is known to name neither an artist nor a copyright (`PictureRights`).
    package var mayNameRights = true
    /// Numbers of a JPEG's pixel: 1 of grey, 3 of colours, 4 of inks; 0 where they have not been counted.
    package var components: UInt8 = 0
    /// An index of `surpluses`.
    private var surplus = 0
    /// Pixels of the largest page in eight bits; 0 if that is the first one.
    private var largest: UInt8 = 0

    /// The defaults describe a plain still.
    package init(
        format: ImageFormat, width: Int, height: Int, pages: Int = 1, orientation: Int = 1,
        hasAlpha: Bool = false, isDecodable: Bool = true, isProgressive: Bool = false,
        isDeep: Bool = false
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.pages = pages
        self.orientation = orientation
        self.hasAlpha = hasAlpha
        self.isDecodable = isDecodable
        self.isProgressive = isProgressive
        self.isDeep = isDeep
    }

    /// The Boolean properties and the pixels that are decoded, in two bytes, for the disk index and the workers' messages.
    package struct Traits: OptionSet, Sendable, Hashable {
        /// A bit for each trait.
        package let rawValue: UInt16
        /// The bits as `rawValue` gives them.
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// `hasAlpha`.
        package static let alpha = Traits(rawValue: 1 << 0)
        /// `isProgressive`.
        package static let progressive = Traits(rawValue: 1 << 1)
        /// Not `isDecodable`.
        package static let undecodable = Traits(rawValue: 1 << 2)
        /// `isDeep`.
        package static let deep = Traits(rawValue: 1 << 3)
        /// Not `mayNameRights`.
        package static let rightless = Traits(rawValue: 1 << 4)
        /// How many pixels are decoded for one, a number of three bits.
        package static let surplus = Traits(rawValue: 7 << 5)
        /// Pixels of the largest page, a number of eight bits; of a JPEG, which has no pages, its components.
        package static let largest = Traits(rawValue: 255 << 8)
        /// Every bit with a meaning.
        package static let all: Traits = [
            .alpha, .progressive, .undecodable, .deep, .rightless, .surplus, .largest,
        ]
    }

    /// The Boolean properties and the pixels that are decoded, packed.
    package var traits: Traits {
        get {
            var traits: Traits = []
            if hasAlpha { traits.insert(.alpha) }
            if isProgressive { traits.insert(.progressive) }
            if !isDecodable { traits.insert(.undecodable) }
            if isDeep { traits.insert(.deep) }
            if !mayNameRights { traits.insert(.rightless) }
            let last = format == .jpeg ? components : largest
            // Cannot trap: the index of one of eight.
            traits.insert(Traits(rawValue: UInt16(surplus) << 5 | UInt16(last) << 8))
            return traits
        }
        set {
            hasAlpha = newValue.contains(.alpha)
            isProgressive = newValue.contains(.progressive)
            isDecodable = !newValue.contains(.undecodable)
            isDeep = newValue.contains(.deep)
            mayNameRights = !newValue.contains(.rightless)
            surplus = Int(newValue.rawValue >> 5 & 7)
            let last = UInt8(truncatingIfNeeded: newValue.rawValue >> 8)
            (components, largest) = format == .jpeg ? (last, 0) : (0, last)
        }
    }

    /// Pixels as stored.
    package var stored: PixelSize { PixelSize(width: width, height: height) }

    /// Pixels as the picture is meant to be seen.
    package var upright: PixelSize { stored.turned(by: orientation) }
}

// Three bits for the pixels that are decoded: no size has to be kept beside the one that is shown, and the price is too high at
// most by the step.
extension ImageHeader {
    /// Pixels that are decoded for one that is shown, at most. The last one stands for all above.
    private static let surpluses = [1, 2, 4, 16, 128, 2_048, 65_536, .max]
    /// Pixels that are not worth a step: those of a tile, or of a coded frame's edges.
    private static let edges = 1 << 17

    /// Pixels that a decoder has to make for one page, at most. More than those of the page if the file codes a larger picture,
    /// as AVIF and HEIC may.
    package var decodedPixels: Int {
        // Cannot trap: the index of one of eight.
        Int(saturatingProduct: width, height, Self.surpluses[surplus])
    }

    /// A frame of so many pixels is decoded.
    mutating func needs(pixels: Int) {
        let shown = stored.area
        guard pixels - shown > shown / 4, pixels - shown > Self.edges else { return }
        surplus =
            Self.surpluses.firstIndex { Int(saturatingProduct: shown, $0) >= pixels } ?? Self.surpluses.count
            - 1
    }
}

// The pages of a TIFF may be of any size. One number for all of them has room beside the traits.
extension ImageHeader {
    /// Pixels of the largest page, rounded up by an eighth at most; those of the first if no other has more.
    package var largestPage: Int {
        largest == 0 ? stored.area : Self.pixels(largest)
    }

    /// Pixels of this page, at most.
    package func pixels(ofPage page: Int) -> Int {
        isUnseen(page) ? largestPage : stored.area
    }

    /// Pixels that a decoder has to make for this page, at most.
    package func decodedPixels(ofPage page: Int) -> Int { isUnseen(page) ? largestPage : decodedPixels }

    /// Shapes that this page may have: its own, or of a TIFF's other pages, of which only the pixels of the largest are known,
    /// a landscape and a portrait one, as long as they count. Their pixels are counted apart from them, because sides are
    /// whole numbers.
    package func shapes(ofPage page: Int) -> [ImageHeader] {
        guard isUnseen(page) else { return [self] }
        let lying = PixelSize(pixels: largestPage, ratio: Self.longestShape)
        return [shaped(lying), shaped(lying.lyingDown)]
    }

    /// The header for a page of this size, as it is meant to be seen.
    package func shaped(_ upright: PixelSize) -> ImageHeader {
        var header = self
        let stored = upright.turned(by: orientation)
        (header.width, header.height, header.largest) = (stored.width, stored.height, 0)
        return header
    }

    /// The longest side of a page, divided by the other.
    package static var longestShape: Double { 4 }

    /// True for a page of which the header tells neither size nor orientation.
    package func isUnseen(_ page: Int) -> Bool { page != 0 && format == .tiff && pages > 1 }

    /// There is another page of so many pixels.
    /// - Parameter unpacked: pixels of one of its tiles.
    mutating func hasPage(pixels: Int, unpacked: Int) {
        let pixels = unpacked - pixels > Self.edges ? unpacked : pixels
        guard pixels > largestPage else { return }
        largest = (1...UInt8.max).first { Self.pixels($0) >= pixels } ?? .max
    }

    /// Three bits of a number and how far they are shifted. The greatest stands for all above.
    private static func pixels(_ bits: UInt8) -> Int {
        bits == .max ? .max : (8 + Int(bits & 7)) << Int(bits >> 3)
    }
}
