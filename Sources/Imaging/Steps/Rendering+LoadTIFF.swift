// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

/// The pages and the pyramid levels of TIFF.
extension Rendering {
    /// The pages of a TIFF may differ in size and orientation. The header tells the size of the largest page, which was checked against the
    /// limits.
    mutating func loadTIFF(within stored: PixelSize) throws(ImagingFailure) {
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
    func pageMeant(_ loader: cvips_loader, pages: Int, first: PixelSize) -> Int {
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
}
