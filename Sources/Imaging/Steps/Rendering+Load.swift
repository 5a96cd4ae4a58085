// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// Opens the original with the loader of its header's format, shrunk by the loader as far as possible
    /// without going below the wanted size.
    mutating func load() throws(ImagingFailure) {
        let header = job.header
        let stored = header.stored
        let loader = header.format.loader
        if let loader, !cvips_has_loader(loader) { throw .formatNotAllowed }
        switch header.format {
        case .jpeg: try loadJPEG(stored)
        case .webp: try loadWebP(stored)
        case .gif: try loadGIF(within: stored)
        case .avif, .heic: try loadHEIF(within: stored)
        case .png: try adopt(source.load(CVIPS_PNG), of: stored)
        case .tiff: try loadTIFF(within: stored)
        case .jxl: try loadJXL(within: stored)
        case .svg: try loadDrawing(CVIPS_SVG)
        case .pdf: try loadDrawing(CVIPS_PDF)
        case .bmp: try adopt(source.loadBitmap(of: stored), of: stored)
        case .ico: try adopt(source.loadIcon(for: recipe, within: stored), within: stored, frames: 1)
        }
        let embedded = picture.profile
        profile = embedded.flatMap(ICCProfile.init)
        paletteBits = Int(picture.facts.palette_bits)
        // Of the others libvips knows none, and says 25.4 pixels an inch.
        if [.png, .tiff].contains(header.format) { density = picture.density }
        // Only these formats record it.
        if header.format == .jpeg, [.png, .tiff].contains(format) { density = source.densityOfJPEG }
        space = picture.facts.space
        if space == CVIPS_SPACE_RGB { keptProfile = kept(embedded) }
        if keptProfile != nil {
            profile = nil
        } else if space == CVIPS_SPACE_RGB, keepsWide(source.colours, profile) {
            isWide = true
        }
        if keptProfile == nil, profile?.isSRGB == false { changesPrimaries = true }
        try describeColours()
    }

    /// The first frame that is taken of an animation.
    private var firstPage: Int { max(0, job.recipe.page) }

    /// The new size in the stored orientation, before the picture is turned upright.
    var target: PixelSize { geometry.resized.turned(by: orientation) }

    private mutating func loadJPEG(_ stored: PixelSize) throws(ImagingFailure) {
        if try loadPlanes(stored) { return }
        let shrink = recipe.wantsAllPixels ? 1 : Recipe.jpegShrink(from: stored, to: target)
        let picture = try source.load(CVIPS_JPEG, shrink: shrink)
        try require(picture.size == PixelSize(width: stored.width / shrink, height: stored.height / shrink))
        frames = Frames(picture)
        extent = (Double(stored.width) / Double(shrink), Double(stored.height) / Double(shrink))
    }

    private mutating func loadWebP(_ stored: PixelSize) throws(ImagingFailure) {
        // Alpha excludes scaling, because libwebp scales colours regardless of alpha, which leaves a dark
        // fringe.
        let header = job.header
        let isWhole = header.hasAlpha || header.pages > 1 || recipe.wantsAllPixels
        let scale = isWhole ? 1 : ShrinkOnLoad.webp(from: stored, to: target)
        let picture = try source.load(CVIPS_WEBP, page: firstPage, pages: wanted, scale: scale)
        timing = picture.timing(frames: header.pages)
        try adopt(
            picture,
            of: PixelSize(
                width: Int((Double(stored.width) * scale).rounded(.toNearestOrEven)),
                height: Int((Double(stored.height) * scale).rounded(.toNearestOrEven))))
    }

    /// Loads the frames. The canvas may differ from the header's size, because libnsgif corrects sizes that
    /// damaged files have.
    private mutating func loadGIF(within stored: PixelSize) throws(ImagingFailure) {
        let (picture, taken) = try loadFrames(width: stored.width)
        timing = picture.timing(frames: job.header.pages)
        let shown = taken == 1 && firstPage == 0 ? try withEmptyRim(picture) : picture
        try adopt(shown, within: stored, frames: taken)
    }

    /// The first frame with a transparent rim where the canvas is larger than the frame. If no frame of the file has a
    /// transparent index, libvips makes the canvas opaque, with a black rim.
    private func withEmptyRim(_ canvas: Picture) throws(ImagingFailure) -> Picture {
        let size = canvas.size
        guard !canvas.hasAlpha, let frame = GIFContainer.firstFrame(source.file), frame.size != size,
            frame.width > 0, frame.height > 0, frame.x + frame.width <= size.width,
            frame.y + frame.height <= size.height
        else { return canvas }
        return try canvas.cropped(x: frame.x, y: frame.y, to: frame.size).translucent()
            .embedded(x: frame.x, y: frame.y, in: size, on: .transparent)
    }

    /// - Parameter width: the width of the canvas.
    private func loadFrames(width: Int) throws(ImagingFailure) -> (strip: Picture, count: Int) {
        try source.withWholeScreen { (isWidened) throws(ImagingFailure) in
            let first = try source.load(CVIPS_GIF, page: firstPage)
            let taken = min(wanted, Int(first.facts.pages) - firstPage)
            let strip = taken > 1 ? try source.load(CVIPS_GIF, page: firstPage, pages: taken) : first
            let size = strip.size
            guard isWidened, size.width == width + 1 else { return (strip, taken) }
            return (try strip.cropped(x: 0, y: 0, to: PixelSize(width: width, height: size.height)), taken)
        }
    }

    private mutating func loadJXL(within stored: PixelSize) throws(ImagingFailure) {
        try adopt(source.load(CVIPS_JXL), within: stored, frames: 1)
        if picture.hasAlpha, JXLAlpha.isMultiplied(MappedFile(bytes: source.file)) {
            frames = Frames(try picture.unpremultiplied())
        }
    }

    /// Adopts a loaded picture, whose size must be the header's.
    mutating func adopt(_ picture: Picture, of size: PixelSize) throws(ImagingFailure) {
        try split(picture, into: job.header.format == .webp ? wanted : 1)
        try require(self.picture.size == size)
        extent = size.extent
    }

    /// Adopts a loaded picture whose size the loader determines. It may have no more pixels than the header tells,
    /// because the limits were checked with that; if the header tells no size, no more than a rendition may have.
    /// - Parameter pixels: the most pixels, if not those of `stored`.
    mutating func adopt(
        _ picture: Picture, within stored: PixelSize, pixels: Int? = nil, frames count: Int
    ) throws(ImagingFailure) {
        try split(picture, into: count)
        let size = self.picture.size
        let limit = pixels ?? (stored.width == 0 ? job.pixelLimit : stored.area)
        try require(size.area <= limit)
        extent = size.extent
        geometry = Geometry.plan(upright: size.turned(by: orientation), recipe: job.recipe)
    }

    private mutating func split(_ picture: Picture, into count: Int) throws(ImagingFailure) {
        try require(count > 0 && picture.size.height % count == 0)
        frames = try Frames(picture, count: count)
    }

    /// Two parsers that read different sizes from one file would let a decompression bomb pass the limits.
    private func require(_ agreement: Bool) throws(ImagingFailure) {
        guard agreement else { throw .damaged("the loader disagrees with the header about the size") }
    }
}
