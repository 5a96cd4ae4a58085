// SPDX-License-Identifier: Apache-2.0

/// A picture's header, which is read before any decoder sees a byte.
package struct ImageHeader: Sendable, Hashable {
    /// The format, recognised by the first bytes.
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
    /// False for codings that no decoder here supports: lossless, hierarchical and 12-bit JPEGs and those of more than
    /// four components; bitmaps that contain a JPEG, a PNG or CMYK; TIFFs with rare kinds of samples; a HEIF that mixes
    /// AV1 and HEVC or uses another coding; and a JPEG XL with black or several extra channels.
    package var isDecodable: Bool
    /// True if the pixels come in several passes, so that a decoder must hold all of them: progressive JPEG,
    /// interlaced PNG.
    package var isProgressive: Bool
    /// True if a decoder holds two bytes for each sample: AVIF, HEIC, JPEG XL and PNG with more than 8 bits a sample, and such
    /// TIFFs if much of the picture is unpacked at a time.
    package var isDeep: Bool
    /// False if the file is known to name neither an artist nor a copyright (`PictureRights`).
    package var mayNameRights = true
    /// Components of a JPEG: 1 for grey, 3 for colours, 4 for inks; 0 if they have not been counted.
    package var components: UInt8 = 0
    /// The index in `surpluses` for this picture.
    private var surplus = 0
    /// A number of pixels, encoded in eight bits; 0 if the first page's own pixels are meant. Of several pages it is that of the
    /// largest, and of a single one those that are decoded for it.
    private var largest: UInt8 = 0

    /// The defaults describe a plain still picture.
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

    /// The Boolean properties and the pixel counts, packed in two bytes for the disk index and the workers' messages.
    package struct Traits: OptionSet, Sendable, Hashable {
        /// A bit for each trait.
        package let rawValue: UInt16
        /// A set of the given bits.
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
        /// The decoded pixels for each shown pixel, as a number of three bits.
        package static let surplus = Traits(rawValue: 7 << 5)
        /// The pixels of the largest page or the decoded ones of a single page, as a number of eight bits; for a JPEG, which has
        /// no pages, its number of components.
        package static let largest = Traits(rawValue: 255 << 8)
        /// Every bit with a meaning.
        package static let all: Traits = [
            .alpha, .progressive, .undecodable, .deep, .rightless, .surplus, .largest,
        ]
    }

    /// The Boolean properties and the pixel counts, packed.
    package var traits: Traits {
        get {
            var traits: Traits = []
            if hasAlpha { traits.insert(.alpha) }
            if isProgressive { traits.insert(.progressive) }
            if !isDecodable { traits.insert(.undecodable) }
            if isDeep { traits.insert(.deep) }
            if !mayNameRights { traits.insert(.rightless) }
            let last = format == .jpeg ? components : largest
            // Cannot trap: the index is at most 7.
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

// The number of decoded pixels is stored as a factor of three bits, so no second size has to be kept. The price is too high by
// at most one step. The steps are wide where a small picture is cut out of a large tile, so the number itself is stored as well
// where there is only one page.
extension ImageHeader {
    /// Upper bounds of the decoded pixels for each shown pixel. The last one stands for all larger factors.
    private static let surpluses = [1, 2, 4, 16, 128, 2_048, 65_536, .max]
    /// Surplus pixels that are ignored: those of a tile, or of a coded frame's edges.
    private static let edges = 1 << 17

    /// An upper bound of the pixels that a decoder makes for one page. It exceeds the page's pixels if the file codes a larger
    /// picture, as AVIF and HEIC may.
    package var decodedPixels: Int {
        // Cannot trap: the index is at most 7.
        let step = Int(saturatingProduct: width, height, Self.surpluses[surplus])
        return pages == 1 && surplus > 0 && largest > 0 ? min(step, Self.pixels(largest)) : step
    }

    /// Records that a frame of this many pixels is decoded. The number of pages must be known.
    mutating func needs(pixels: Int) {
        let shown = stored.area
        guard pixels - shown > shown / 4, pixels - shown > Self.edges else { return }
        surplus =
            Self.surpluses.firstIndex { Int(saturatingProduct: shown, $0) >= pixels } ?? Self.surpluses.count
            - 1
        if pages == 1 { largest = Self.number(of: pixels) }
    }

    /// This header with the size and the orientation of one of its pages, as if that were the only one.
    func only(_ size: PixelSize, orientation: Int) -> ImageHeader {
        var page = self
        (page.width, page.height, page.orientation) = (size.width, size.height, orientation)
        (page.pages, page.largest) = (1, 0)
        return page
    }
}

// The pages of a TIFF may differ in size. The largest page is stored as one number beside the traits.
extension ImageHeader {
    /// The pixels of the largest page, rounded up by at most an eighth; those of the first page if no other
    /// has more.
    package var largestPage: Int {
        largest == 0 ? stored.area : Self.pixels(largest)
    }

    /// An upper bound of the pixels of this page.
    package func pixels(ofPage page: Int) -> Int {
        isUnseen(page) ? largestPage : stored.area
    }

    /// An upper bound of the pixels that a decoder makes for this page.
    package func decodedPixels(ofPage page: Int) -> Int { isUnseen(page) ? largestPage : decodedPixels }

    /// The shapes that this page may have. Of a TIFF's later pages only the number of pixels of the largest is known, so a
    /// landscape and a portrait shape of the most extreme ratio stand for them. Their pixels are counted separately, because
    /// sides are whole numbers.
    package func shapes(ofPage page: Int) -> [ImageHeader] {
        guard isUnseen(page) else { return [self] }
        let lying = PixelSize(pixels: largestPage, ratio: Self.longestShape)
        return [shaped(lying), shaped(lying.lyingDown)]
    }

    /// This header with the size of a page, which is given upright.
    package func shaped(_ upright: PixelSize) -> ImageHeader {
        var header = self
        let stored = upright.turned(by: orientation)
        (header.width, header.height, header.largest) = (stored.width, stored.height, 0)
        return header
    }

    /// The largest ratio of a page's sides that is considered.
    package static var longestShape: Double { 4 }

    /// True for a page whose size and orientation the header does not tell.
    package func isUnseen(_ page: Int) -> Bool { page != 0 && format == .tiff && pages > 1 }

    /// Records another page of this many pixels.
    /// - Parameter unpacked: the pixels that are unpacked at once for it, such as those of a tile.
    mutating func hasPage(pixels: Int, unpacked: Int) {
        let pixels = unpacked - pixels > Self.edges ? unpacked : pixels
        guard pixels > largestPage else { return }
        largest = Self.number(of: pixels)
    }

    /// The least number that stands for so many pixels or more.
    private static func number(of pixels: Int) -> UInt8 {
        (1...UInt8.max).first { Self.pixels($0) >= pixels } ?? .max
    }

    /// Decodes an upper bound of pixels: three bits of a number, and five bits of its shift. The largest
    /// value stands for all above.
    private static func pixels(_ bits: UInt8) -> Int {
        bits == .max ? .max : (8 + Int(bits & 7)) << Int(bits >> 3)
    }
}
