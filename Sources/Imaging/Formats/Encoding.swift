// SPDX-License-Identifier: Apache-2.0

internal import CEncoders
internal import CVips
internal import ImageHeaders
internal import Recipes

/// One call of an encoder, every option passed explicitly.
struct Encoding {
    let job: ImagingJob
    var format: ImageFormat
    /// Bits of the original's palette; 0 if it had none.
    let paletteBits: Int
    let resized: Bool
    let frames: Int
    /// The profile and the metadata of the file.
    var notes = FileNotes()
    /// True if chroma keeps luma's density at any quality.
    var hasFullChroma = false
    /// True if the file is lossless, whatever the recipe says.
    var isExact = false

    /// The encoding of the same picture as lossless WebP.
    var exact: Encoding {
        var other = self
        (other.format, other.isExact) = (.webp, true)
        return other
    }

    /// Writes the file. Returns the microseconds that making the pixels took.
    /// - Parameter quality: replaces the recipe's quality.
    func write(_ picture: Picture, to sink: Sink, quality: Int? = nil) throws(ImagingFailure) -> Int {
        var watch = cvips_watch()
        let isNoted = !notes.isEmpty
        let file = isNoted ? Sink(inMemory: Int(sink.sink.limit)) : sink
        let failed = try withUnsafeMutablePointer(to: &watch) { (watch) throws(ImagingFailure) in
            try save(picture.watched(by: watch), to: file, quality) != 0
        }
        if failed {
            let words = Picture.error()
            // The failure lies in the steps before the encoder, in the sink, or else in the encoder itself.
            if watch.failed { throw .ofPixels(words) }
            let told = isLosslessWebP ? ImagingFailure.wordsOfLosslessWebP(words) : words
            throw file.failure(told, limit: job.outputLimit)
        }
        if isNoted, !notes.write(file.bytes, format, picture.frameSize, hasAlpha: picture.hasAlpha, to: sink)
        {
            throw sink.failure("the file has no place for its notes", limit: job.outputLimit)
        }
        return Int(watch.nanoseconds / 1000)
    }

    /// True if files of several qualities can be compared: a loader here can read the format.
    var canSearch: Bool { [.jpeg, .webp, .avif].contains(format) && !job.recipe.lossless }

    /// True if a lower quality makes smaller files.
    var canFit: Bool { format.fitsBytes && !job.recipe.lossless }

    private var isLosslessWebP: Bool { format == .webp && (isExact || job.recipe.lossless) }

    private func save(_ picture: Picture, to sink: Sink, _ chosen: Int?) throws(ImagingFailure) -> Int32 {
        let recipe = job.recipe
        switch format {
        case .jpeg:
            var options = cvips_jpeg_options(
                quality: quality(chosen), half_chroma: halvesChroma(chosen),
                optimised: job.defaults.jpegOptimised, progressive: recipe.interlaced)
            return cvips_save_jpeg(picture.image, &sink.sink, &options)
        case .png:
            var options = pngOptions
            return cvips_save_png(picture.image, &sink.sink, &options)
        case .gif:
            var options = gifOptions
            return cvips_save_gif(picture.image, &sink.sink, &options)
        case .avif:
            guard cvips_has_loader(CVIPS_HEIF) else { throw .formatNotAllowed }
            var options = webOptions(effort: job.defaults.avifEffort, chosen)
            return notes.withEncoderNotes { notes in
                options.notes = notes
                return cvips_save_avif(picture.image, &sink.sink, &options)
            }
        case .webp:
            return saveWebP(picture, to: sink, chosen)
        case .tiff:
            var options = cvips_tiff_options(quality: tiffQuality(picture))
            return cvips_save_tiff(picture.image, &sink.sink, &options)
        case .jxl:
            guard cvips_can_save_jxl() else { throw .formatNotAllowed }
            var options = webOptions(effort: job.defaults.jxlEffort, chosen)
            return cvips_save_jxl(picture.image, &sink.sink, &options)
        case .heic, .svg, .bmp, .ico, .pdf:
            throw .formatNotAllowed
        }
    }

    /// The chosen quality, or the recipe's, or the default of the format.
    func quality(_ chosen: Int?) -> Int32 {
        if let chosen { return Int32(chosen) }
        if case .number(let quality) = job.recipe.quality { return Int32(quality) }
        return Int32(job.defaults.quality(of: format))
    }

    /// True if chroma in JPEG and AVIF has half of luma's density.
    func halvesChroma(_ chosen: Int?) -> Bool { !hasFullChroma && quality(chosen) < Quality.fullChroma }

    private func webOptions(effort: Int, _ chosen: Int?) -> cvips_web_options {
        cvips_web_options(
            quality: quality(chosen), effort: Int32(effort), lossless: isExact || job.recipe.lossless,
            half_chroma: halvesChroma(chosen), alpha_quality: Int32(job.defaults.webpAlphaQuality),
            notes: cencoders_notes())
    }

    /// TIFF is lossless (0) unless the recipe has a quality. The file then holds JPEG of that quality, which
    /// has no alpha.
    private func tiffQuality(_ picture: Picture) -> Int32 {
        guard case .number(let quality) = job.recipe.quality, !picture.hasAlpha else { return 0 }
        return Int32(quality)
    }

    /// Options for GIF. Frames of an animation that cannot share a palette each have their own. With up to 256 colours for
    /// each frame, effort 3 takes half the time of 4, and half the dither hides steps as well; both make files smaller. A
    /// still picture's drawing looks better at 4.
    private var gifOptions: cvips_gif_options {
        let isAnimation = frames > 1
        return cvips_gif_options(
            effort: Int32(isAnimation ? min(job.defaults.gifEffort, 3) : job.defaults.gifEffort),
            dither: isAnimation ? 0.5 : 1, interlaced: job.recipe.interlaced)
    }

    /// Options for PNG. A picture that had a palette keeps one, of 8 bits once resizing has brought new colours. Row
    /// filters make true colour a quarter smaller on average (photographs a third, at twice the time), but colour
    /// indices compress worse with them.
    private var pngOptions: cvips_png_options {
        let bits = job.header.format == .png ? paletteBits : 0
        return cvips_png_options(
            compression: Int32(job.recipe.pngLevel ?? job.defaults.pngCompression),
            filter: job.recipe.adaptiveFilter ?? (bits == 0),
            palette_bits: bits == 0 ? 0 : resized ? 8 : Int32(bits), interlaced: job.recipe.interlaced)
    }

    private func saveWebP(_ picture: Picture, to sink: Sink, _ chosen: Int?) -> Int32 {
        var options = webOptions(effort: job.defaults.webpEffort, chosen)
        var (bytes, length): (UnsafeMutableRawPointer?, Int) = (nil, 0)
        guard cvips_save_webp(picture.image, &bytes, &length, &options) == 0 else { return -1 }
        defer { cvips_free(bytes) }
        let file = UnsafeMutableRawBufferPointer(start: bytes, count: length)
        // A sample of a search is a still picture, whatever the number of frames.
        let shown = picture.frameSize
        if shown != picture.size,
            let moving = WebPContainer.moving(
                file, shown, hasAlpha: picture.hasAlpha, picture.timing(frames: frames))
        {
            return sink.write(moving) ? 0 : -1
        }
        for part in WebPContainer.strip(file, hasAlpha: picture.hasAlpha) {
            guard sink.write(UnsafeRawBufferPointer(rebasing: file[part])) else { return -1 }
        }
        return 0
    }
}
