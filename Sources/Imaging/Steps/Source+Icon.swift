// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Source {
    /// The picture of an icon that suits a recipe. It has at most as many pixels as `stored`, because the limits
    /// were checked with that size.
    func loadIcon(for recipe: Recipe, within stored: PixelSize) throws(ImagingFailure) -> Picture {
        guard let directory = try? IconDirectory(MappedFile(bytes: file)) else { throw .bitmap("directory") }
        let allowed = directory.pictures.map { $0.flatMap { $0.size.area <= stored.area ? $0 : nil } }
        guard let chosen = Self.choice(among: allowed, for: recipe) else { throw .bitmap("page") }
        let entry = UnsafeRawBufferPointer(rebasing: file[chosen.bytes])
        if chosen.isPNG { return try loadPNG(entry, chosen.size) }
        let bitmap = try DeviceBitmap(entry, isIcon: true)
        guard bitmap.size == chosen.size else { throw .bitmap("size") }
        return try Picture(samples: bitmap.rgba(), size: chosen.size, bands: 4)
    }

    /// The page that the recipe names; −1 is the largest, −2 the smallest. Otherwise, as in browsers, the smallest picture
    /// that need not be enlarged to the wanted size, or the largest if all are too small.
    private static func choice(
        among pictures: [IconDirectory.Picture?], for recipe: Recipe
    ) -> IconDirectory.Picture? {
        let known = pictures.compactMap(\.self)
        switch recipe.page {
        case 1...: return recipe.page < pictures.count ? pictures[recipe.page] : nil
        case -1: return IconDirectory.largest(known)
        case -2: return IconDirectory.smallest(known)
        default:
            let large = known.filter {
                !recipe.wantsAllPixels && ShrinkOnLoad.suffices($0.size, for: recipe)
            }
            return IconDirectory.smallest(large) ?? IconDirectory.largest(known)
        }
    }

    /// Decodes the PNG at once, so that the copy can be freed.
    private func loadPNG(
        _ entry: UnsafeRawBufferPointer, _ size: PixelSize
    ) throws(ImagingFailure) -> Picture {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: entry.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyMemory(from: entry)
        PNGContainer.muteMetadata(copy)
        guard let source = cvips_source_memory(copy.baseAddress, copy.count) else {
            throw .unavailable(Picture.error())
        }
        defer { cvips_source_release(source) }
        var options = cvips_load_options()
        options.loader = CVIPS_PNG
        let picture = try Picture(cvips_load(source, &options))
        guard picture.size == size else { throw .bitmap("size") }
        return try picture.inMemory()
    }
}
