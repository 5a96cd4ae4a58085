// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

/// SVG and PDF.
extension Rendering {
    /// A drawing has no pixels, so it is rendered directly in the wanted size; in its own size if the recipe names none, or if the
    /// drawing looks the same in any size.
    mutating func loadDrawing(_ loader: cvips_loader) throws(ImagingFailure) {
        if loader == CVIPS_SVG,
            SVGPictures.pixels(in: Span(_unsafeBytes: source.file), upTo: Self.picturesInDrawing)
                > Self.picturesInDrawing
        {
            throw .outputTooLarge(.embeddedPixels(Self.picturesInDrawing))
        }
        let first = try source.load(loader)
        let pages = Int(first.facts.pages)
        let page = pageMeant(loader, pages: pages, first: first.size)
        guard page < max(1, pages) else { throw .noSuchPage(pages: pages) }
        let natural = page == 0 ? first.size : try source.load(loader, page: page).size
        geometry = Geometry.plan(upright: natural, recipe: recipe)
        let scale =
            recipe.cutsOriginal || isFixed(loader, natural)
            ? 1
            : max(
                Double(geometry.resized.width) / Double(natural.width),
                Double(geometry.resized.height) / Double(natural.height))
        // libvips ignores a smaller scale and would render the drawing in its own size.
        guard scale >= 0.001 else { throw .outputTooLarge(.pixels(job.pixelLimit)) }
        let drawing = try source.load(loader, page: page, scale: scale)
        try checkSize(drawing.size)
        frames = Frames(drawing)
        extent = drawing.size.extent
    }

    /// True for a drawing that does not grow when it is given more room, if its own size is within the limits
    /// and the memory price.
    private func isFixed(_ loader: cvips_loader, _ natural: PixelSize) -> Bool {
        guard loader == CVIPS_SVG, SVGScale.hasRoom(for: natural), natural.area <= job.pixelLimit,
            max(natural.width, natural.height) <= format.longestSide
        else { return false }
        return SVGScale.isFixed(MappedFile(bytes: source.file))
    }

    /// The most pixels of all pictures within a drawing. librsvg decodes and copies each picture whole, whatever the
    /// drawing's size.
    private static let picturesInDrawing = 16_000_000
}
