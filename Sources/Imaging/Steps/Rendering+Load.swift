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
        if [.jpeg, .png, .tiff].contains(header.format) { density = picture.density }
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

    /// libheif turns and crops by itself, so the picture may be smaller than stored, or lie the other way. If libheif would turn or crop
    /// incorrectly, the file was patched and the crop and turn are applied here.
    private mutating func loadHEIF(within stored: PixelSize) throws(ImagingFailure) {
        var picture = try source.load(CVIPS_HEIF)
        if let crop = source.turn?.crop {
            picture = try picture.cropped(x: crop.x, y: crop.y, to: crop.size)
        }
        orientation = source.turn?.orientation ?? 1
        try adopt(picture, within: stored, frames: 1)
        let isMultiplied = picture.hasAlpha && ISOMediaAlpha.isMultiplied(MappedFile(bytes: source.file))
        // A thumbnail is used only without described colours and alpha, because it has its own colours and
        // seldom alpha.
        if source.colours == nil {
            if !recipe.wantsAllPixels, !picture.hasAlpha, source.turn == nil { try loadThumbnail() }
            try stretchGrey()
        }
        if isMultiplied { frames = Frames(try self.picture.plain().unpremultiplied()) }
    }

    private mutating func loadThumbnail() throws(ImagingFailure) {
        let thumbnail = try source.load(CVIPS_HEIF, thumbnail: true)
        let file = MappedFile(bytes: source.file)
        if ShrinkOnLoad.canReplace(picture.size, by: thumbnail.size, for: target),
            thumbnail.profile == picture.profile, ISOMediaThumbnail.isMeasured(file),
            ISOMediaThumbnail.isTurnedAlike(file)
        {
            frames = Frames(thumbnail)
            extent = thumbnail.size.extent
        }
    }

    /// Stretches grey of limited range, which libheif returns unchanged, with black at 16 and white at 235.
    private mutating func stretchGrey() throws(ImagingFailure) {
        guard ISOMediaGrey.isLimited(MappedFile(bytes: source.file)) else { return }
        let levels = LevelTable { ($0 - 16) * 255 / 219 }
        frames = Frames(try picture.plain().mapped(levels))
    }

    private mutating func loadJXL(within stored: PixelSize) throws(ImagingFailure) {
        try adopt(source.load(CVIPS_JXL), within: stored, frames: 1)
        if picture.hasAlpha, JXLAlpha.isMultiplied(MappedFile(bytes: source.file)) {
            frames = Frames(try picture.plain().unpremultiplied())
        }
    }

    /// The pages of a TIFF may differ in size and orientation. The header tells the size of the largest page, which was checked against the
    /// limits.
    private mutating func loadTIFF(within stored: PixelSize) throws(ImagingFailure) {
        if job.recipe.page == 0, let level = loadLevel(of: stored) {
            return try adopt(level, within: stored, frames: 1)
        }
        let page =
            job.recipe.page == 0
            ? 0 : pageMeant(CVIPS_TIFF, pages: job.header.pages, first: stored)
        guard page != 0 else { return try adopt(loadPage(0), of: stored) }
        guard isDecodable(page) else { throw .codingNotRead }
        let shown = try loadPage(page)
        orientation = shown.orientation
        try adopt(shown, within: stored, pixels: job.header.largestPage, frames: 1)
    }

    /// A smaller level of a pyramid, decoded. Nil if there is none, or if it cannot be decoded: the full picture is used
    /// then.
    private func loadLevel(of stored: PixelSize) -> Picture? {
        let level = pyramidLevel(of: stored)
        guard level != 0, isDecodable(level) else { return nil }
        return try? loadPage(level).inMemory()
    }

    /// A page of a TIFF. libvips takes a resolution without a unit for pixels per millimetre.
    private func loadPage(_ page: Int) throws(ImagingFailure) -> Picture {
        let file = MappedFile(bytes: source.file)
        var shown = try source.load(CVIPS_TIFF, page: page)
        if !TIFFPages.tellsDensity(page, of: file) { shown = try shown.printed(at: .usual) }
        guard shown.hasAlpha, TIFFPages.isMultiplied(page, of: file) else { return shown }
        return try shown.withDividedLight()
    }

    /// Whether the coding of the page is read here. The header tells only the first page's coding, and the
    /// memory price has no room for samples of 64 bits and more.
    private func isDecodable(_ page: Int) -> Bool {
        TIFFPages.isDecodable(page, of: MappedFile(bytes: source.file))
    }

    /// The page that the recipe names, or the largest (−1) or the smallest (−2) page.
    private func pageMeant(_ loader: cvips_loader, pages: Int, first: PixelSize) -> Int {
        guard job.recipe.page < 0 else { return job.recipe.page }
        var (chosen, best) = (0, first.area)
        for page in 1..<max(1, min(pages, TIFFPages.mostCompared)) {
            guard let area = try? source.load(loader, page: page).size.area,
                loader != CVIPS_TIFF || area <= job.header.largestPage
            else { continue }
            if job.recipe.page == -1 ? area > best : area < best { (chosen, best) = (page, area) }
        }
        return chosen
    }

    /// The smallest level that is large enough, if each page shows the first one at half the size of the page before.
    /// Its sides were rounded when it was made; as at wsrv.nl, the result has the level's aspect ratio.
    private func pyramidLevel(of stored: PixelSize) -> Int {
        guard (2...ShrinkOnLoad.mostLevels).contains(job.header.pages), !recipe.wantsAllPixels else {
            return 0
        }
        var chosen = 0
        for level in 1..<job.header.pages {
            guard let size = try? source.load(CVIPS_TIFF, page: level).size,
                ShrinkOnLoad.isLevel(size, level, of: stored)
            else { return 0 }
            if ShrinkOnLoad.suffices(size.turned(by: orientation), for: recipe) { chosen = level }
        }
        return chosen
    }

    /// A drawing has no pixels, so it is rendered directly in the wanted size; in its own size if the recipe names none, or if the
    /// drawing looks the same in any size.
    private mutating func loadDrawing(_ loader: cvips_loader) throws(ImagingFailure) {
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

    /// Adopts a loaded picture, whose size must be the header's.
    private mutating func adopt(_ picture: Picture, of size: PixelSize) throws(ImagingFailure) {
        try split(picture, into: job.header.format == .webp ? wanted : 1)
        try require(self.picture.size == size)
        extent = size.extent
    }

    /// Adopts a loaded picture whose size the loader determines. It may have no more pixels than the header tells,
    /// because the limits were checked with that; if the header tells no size, no more than a rendition may have.
    /// - Parameter pixels: the most pixels, if not those of `stored`.
    private mutating func adopt(
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
