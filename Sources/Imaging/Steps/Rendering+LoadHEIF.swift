// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

/// HEIC and AVIF.
extension Rendering {
    /// libheif turns and crops by itself, so the picture may be smaller than stored, or lie the other way. If libheif would turn or crop
    /// incorrectly, the file was patched and the crop and turn are applied here.
    mutating func loadHEIF(within stored: PixelSize) throws(ImagingFailure) {
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
        if isMultiplied { frames = Frames(try self.picture.unpremultiplied()) }
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
}
