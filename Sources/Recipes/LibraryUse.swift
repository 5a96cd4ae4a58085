// SPDX-License-Identifier: Apache-2.0
//
// A key names the libraries that may take part in its rendition: a new libaom makes AVIFs anew, and leaves JPEGs as they are.
// A library without a row here is in every key. A row that claims too much makes renditions anew for nothing; one that claims
// too little would answer with what an older library has made.

internal import ImageHeaders

/// The renditions that a library takes part in.
struct LibraryUse: Sendable, Hashable {
    /// Originals of these formats are read by it.
    private let reads: Set<ImageFormat>
    /// Renditions of these formats are written by it.
    private let writes: Set<ImageFormat>
    /// It draws letters.
    private let letters: Bool

    /// - Parameter name: as the engine's name has it; of `av1-out aom 3.6.0` the first word.
    /// - Returns: nil for a library that takes part in all.
    static func of(_ name: String) -> LibraryUse? { table[name] }

    private static let table: [String: LibraryUse] = [
        // libheif and its coders. Which of them reads a file is its items' to tell, whatever its brand.
        "heif": LibraryUse(reads: [.avif, .heic], writes: [.avif]),
        "av1-in": LibraryUse(reads: [.avif, .heic]),
        "hevc-in": LibraryUse(reads: [.avif, .heic]),
        "av1-out": LibraryUse(writes: [.avif]),
        // A TIFF may hold WebP.
        "webp": LibraryUse(reads: [.webp, .tiff], writes: [.webp]),
        "tiff": LibraryUse(reads: [.tiff], writes: [.tiff]),
        "jxl": LibraryUse(reads: [.jxl], writes: [.jxl]),
        // Palettes.
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

    /// Whether it may take part in what a recipe makes of an original of this format.
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
