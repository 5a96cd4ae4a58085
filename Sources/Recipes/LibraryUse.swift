// SPDX-License-Identifier: Apache-2.0
// A rendition's key names only the libraries that may take part in it: a new libaom renews AVIFs and leaves JPEGs as they
// are. A library without a row here is in every key. A row that claims too much renews renditions for nothing. A row that
// claims too little would serve renditions that an older library has made.

internal import ImageHeaders

/// The renditions that a library takes part in.
struct LibraryUse: Sendable, Hashable {
    /// The formats of originals that the library reads.
    private let reads: Set<ImageFormat>
    /// The formats of renditions that the library writes.
    private let writes: Set<ImageFormat>
    /// True if the library draws letters.
    private let letters: Bool

    /// - Parameter name: the name in the engine's text; the first word of `av1-out aom 3.6.0`.
    /// - Returns: nil for a library that takes part in all renditions.
    static func of(_ name: String) -> LibraryUse? { table[name] }

    private static let table: [String: LibraryUse] = [
        // libheif and its coders. The items of a file determine the coder, whatever the brand says.
        "heif": LibraryUse(reads: [.avif, .heic], writes: [.avif]),
        "av1-in": LibraryUse(reads: [.avif, .heic]),
        "hevc-in": LibraryUse(reads: [.avif, .heic]),
        "av1-out": LibraryUse(writes: [.avif]),
        // A TIFF may hold WebP.
        "webp": LibraryUse(reads: [.webp, .tiff], writes: [.webp]),
        "tiff": LibraryUse(reads: [.tiff], writes: [.tiff]),
        "jxl": LibraryUse(reads: [.jxl], writes: [.jxl]),
        // It makes palettes.
        "imagequant": LibraryUse(writes: [.png, .gif]),
        "cgif": LibraryUse(writes: [.gif]),
        "rsvg": LibraryUse(reads: [.svg]),
        "poppler": LibraryUse(reads: [.pdf]),
        "cairo": drawing, "pixman": drawing, "pango": drawing, "harfbuzz": drawing, "fontconfig": drawing,
        "freetype": drawing,
    ]

    private static let drawing = LibraryUse(reads: [.svg, .pdf], letters: true)

    private init(reads: Set<ImageFormat> = [], writes: Set<ImageFormat> = [], letters: Bool = false) {
        (self.reads, self.writes, self.letters) = (reads, writes, letters)
    }

    /// Whether the library may take part in the rendition of an original of this format.
    func takesPart(in recipe: Recipe, of format: ImageFormat) -> Bool {
        // A watermark may be of any format, and a drawing may hold pictures.
        let readsAny = recipe.watermark != nil || format.isVector
        if readsAny ? !reads.isEmpty : reads.contains(format) { return true }
        if letters, recipe.text != nil { return true }
        return switch recipe.output {
        case .format(let written): writes.contains(written)
        case .auto: writes.contains(.avif) || writes.contains(.webp)
        case .json, .raw: false
        // The recipe is not resolved.
        case .source: true
        }
    }
}
