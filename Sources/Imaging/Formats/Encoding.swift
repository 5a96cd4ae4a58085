// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageModel

/// One call of an encoder, every option passed explicitly.
struct Encoding {
    let job: ImagingJob
    let format: ImageFormat
    /// Of the original; 0 where it had no palette.
    let paletteBits: Int
    let resized: Bool

    /// Bytes written, and the microseconds that went into making the pixels.
    func write(_ picture: Picture) throws(ImagingFailure) -> (length: Int, decoding: Int) {
        var sink = cvips_sink()
        sink.descriptor = job.output
        sink.limit = Int64(job.outputLimit)
        var watch = cvips_watch()
        let failed = try withUnsafeMutablePointer(to: &watch) { (watch) throws(ImagingFailure) in
            try save(picture.watched(by: watch), to: &sink) != 0
        }
        if failed { throw failure(watch: watch, sink: sink) }
        return (Int(sink.length), Int(watch.nanoseconds / 1000))
    }

    /// By where it happened: above the encoder, in the descriptor, or else in the encoder itself.
    private func failure(watch: cvips_watch, sink: cvips_sink) -> ImagingFailure {
        let words = Picture.error()
        if watch.failed { return .damaged(words) }
        if sink.over { return .outputTooLarge(limit: job.outputLimit) }
        return .cannotWrite(sink.error == 0 ? words : "write: errno \(sink.error)")
    }

    private func save(_ picture: Picture, to sink: inout cvips_sink) throws(ImagingFailure) -> Int32 {
        let defaults = job.defaults
        switch format {
        case .jpeg:
            var options = cvips_jpeg_options(quality: quality(defaults.jpegQuality))
            return cvips_save_jpeg(picture.image, &sink, &options)
        case .png:
            var options = pngOptions
            return cvips_save_png(picture.image, &sink, &options)
        case .gif:
            var options = cvips_gif_options(effort: Int32(defaults.gifEffort))
            return cvips_save_gif(picture.image, &sink, &options)
        case .avif:
            guard cvips_has_loader(CVIPS_HEIF) else { throw .formatNotAllowed }
            var options = cvips_web_options(
                quality: quality(defaults.avifQuality), effort: Int32(defaults.avifEffort))
            return cvips_save_avif(picture.image, &sink, &options)
        case .webp:
            return saveWebP(picture, to: &sink)
        case .heic, .tiff, .svg, .jxl, .bmp, .ico, .pdf:
            throw .formatNotAllowed
        }
    }

    private func quality(_ standard: Int) -> Int32 {
        if case .number(let quality) = job.recipe.quality { return Int32(quality) }
        return Int32(standard)
    }

    /// A picture that had a palette keeps one, with room for the colours that resizing brings. Row filters make true
    /// colour a quarter smaller on average (photographs a third, at twice the time) and harm colour indices.
    private var pngOptions: cvips_png_options {
        let bits = job.header.format == .png ? paletteBits : 0
        return cvips_png_options(
            compression: Int32(job.defaults.pngCompression), filter: bits == 0,
            palette_bits: bits == 0 ? 0 : resized ? 8 : Int32(bits))
    }

    private func saveWebP(_ picture: Picture, to sink: inout cvips_sink) -> Int32 {
        var options = cvips_web_options(
            quality: quality(job.defaults.webpQuality), effort: Int32(job.defaults.webpEffort))
        var (bytes, length): (UnsafeMutableRawPointer?, Int) = (nil, 0)
        guard cvips_save_webp(picture.image, &bytes, &length, &options) == 0 else { return -1 }
        defer { cvips_free(bytes) }
        let file = UnsafeMutableRawBufferPointer(start: bytes, count: length)
        for part in WebPContainer.strip(file) {
            guard cvips_sink_write(&sink, file.baseAddress?.advanced(by: part.lowerBound), part.count) == 0
            else { return -1 }
        }
        return 0
    }
}
