// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// Writes the rendition. The encoder pulls the pixels, so they are computed here.
    func encode(_ picture: Picture, start: ContinuousClock.Instant) throws(ImagingFailure) -> Rendered {
        let prepared = ContinuousClock.now
        let encoding = Encoding(
            job: job, format: format, paletteBits: palette, resized: isChanged, frames: frames.count,
            notes: notes)
        let written = try write(picture, by: encoding)
        let total = ContinuousClock.now
        let size = self.picture.size
        let making = (prepared - start).microseconds + written.decoding
        var result = Rendered(
            format: written.format, width: size.width, height: size.height, pages: frames.count,
            length: written.length, decoding: making,
            encoding: max(0, (total - start).microseconds - making), quality: written.quality,
            tries: written.tries)
        result.isPlanar = isPlanar
        return result
    }

    private struct Written {
        var format: ImageFormat
        var length: Int
        /// Microseconds that making the pixels took.
        var decoding: Int
        var quality: Int?
        var tries = 0
    }

    /// Writes to the output directly, unless several files have to be compared.
    private func write(_ picture: Picture, by encoding: Encoding) throws(ImagingFailure) -> Written {
        let output = Sink(descriptor: job.output, limit: job.outputLimit)
        let start = ContinuousClock.now
        let isReadAgain = job.recipe.triesExact(job.header) || job.recipe.maxBytes != nil
        let picture = isReadAgain ? try picture.inMemory() : picture
        let decoding = (ContinuousClock.now - start).microseconds
        let spare = try spare(for: picture, by: encoding)
        if spare == nil, job.header.format == .gif, encoding.format == .webp,
            job.recipe.triesExact(job.header)
        {
            return try writeGIF(picture, by: encoding, to: output, decoding: decoding)
        }
        if case .likeness(let target) = job.recipe.quality, encoding.canSearch {
            let found = try search(picture, by: encoding, for: target ?? job.defaults.targetLikeness)
            let fitting = try fit(found, picture, within: spare?.length)
            return try written(fitting, spare, to: output, decoding: decoding)
        }
        // A spare file that fits the limit looks exactly like the picture, so no quality is searched.
        if let limit = job.recipe.maxBytes, encoding.canFit, spare.map({ $0.length > limit }) ?? true {
            let found = try fit(picture, by: encoding, within: limit, upTo: Int(encoding.quality(nil)))
            return try written(found, spare, to: output, decoding: decoding)
        }
        guard let spare else {
            let making = try encoding.write(picture, to: output)
            return Written(format: format, length: output.length, decoding: decoding + making)
        }
        return try writeShorter(of: spare, picture, by: encoding, to: output, decoding: decoding)
    }

    /// Writes the picture, or the spare file if that has fewer bytes.
    private func writeShorter(
        of spare: AlternativeFile, _ picture: Picture, by encoding: Encoding, to output: Sink, decoding: Int
    ) throws(ImagingFailure) -> Written {
        // The encoder may stop once it has as many bytes as the spare file.
        let file = Sink(inMemory: spare.length)
        do throws(ImagingFailure) {
            let making = try encoding.write(picture, to: file)
            let length = try sent(output, output.write(file.bytes))
            return Written(format: format, length: length, decoding: decoding + making)
        } catch {
            guard case .outputTooLarge = error else { throw error }
            return try written(spare, to: output, decoding: decoding)
        }
    }

    /// Writes a GIF as WebP: lossless if the lossy file has more bytes than the GIF or than the recipe allows. Noise in
    /// few colours costs much in lossy WebP, and little in lossless WebP.
    private func writeGIF(
        _ picture: Picture, by encoding: Encoding, to output: Sink, decoding: Int
    ) throws(ImagingFailure) -> Written {
        let found: Found
        if case .likeness(let target) = job.recipe.quality {
            found = try search(picture, by: encoding, for: target ?? job.defaults.targetLikeness)
        } else {
            let file = Sink(inMemory: job.outputLimit)
            let making = try encoding.write(picture, to: file)
            found = Found(
                file: file, encoding: encoding, quality: Int(encoding.quality(nil)), tries: 0,
                decoding: making)
        }
        let exact = exact(picture, by: encoding, insteadOf: found.file)
        let fitting = try fit(found, picture, within: exact?.length)
        return try written(fitting, exact, to: output, decoding: decoding)
    }

    /// A lossless file that may replace the lossy one. Nil if it has no fewer bytes, or if the lossy file is
    /// small enough.
    private func exact(_ picture: Picture, by encoding: Encoding, insteadOf lossy: Sink) -> AlternativeFile? {
        guard lossy.length > min(source.file.count, job.recipe.maxBytes ?? .max) else { return nil }
        let file = Sink(inMemory: lossy.length)
        // If the lossless file fails, the lossy one is still an answer.
        guard (try? encoding.exact.write(picture, to: file)) != nil else { return nil }
        return AlternativeFile(Array(file.bytes), .webp)
    }

    /// Writes the file that a search has found, or the spare file if it has fewer bytes.
    private func written(
        _ found: Found, _ spare: AlternativeFile?, to output: Sink, decoding: Int
    ) throws(ImagingFailure) -> Written {
        if let spare, spare.length < found.file.length {
            return try written(spare, to: output, decoding: decoding + found.decoding)
        }
        return Written(
            format: format, length: try sent(output, output.write(found.file.bytes)),
            decoding: decoding + found.decoding, quality: found.tries == 0 ? nil : found.quality,
            tries: found.tries)
    }

    /// The found file, or one of a lower quality if neither the found file nor the spare one meets the recipe's limit.
    private func fit(
        _ found: Found, _ picture: Picture, within spare: Int?
    ) throws(ImagingFailure) -> Found {
        guard let limit = job.recipe.maxBytes, min(found.file.length, spare ?? .max) > limit else {
            return found
        }
        let fitting = try fit(picture, by: found.encoding, within: limit, upTo: max(1, found.quality - 1))
        return Found(
            file: fitting.file, encoding: fitting.encoding, quality: fitting.quality,
            tries: found.tries + fitting.tries,
            decoding: found.decoding)
    }

    private func written(_ spare: AlternativeFile, to output: Sink, decoding: Int) throws(ImagingFailure)
        -> Written
    {
        let succeeded = spare.parts.allSatisfy { part in
            switch part {
            case .bytes(let bytes): output.write(bytes)
            case .original(let range): output.write(UnsafeRawBufferPointer(rebasing: source.file[range]))
            }
        }
        let length = try sent(output, succeeded)
        return Written(format: spare.format, length: length, decoding: decoding)
    }

    /// The original's bytes without metadata, if they can be the answer: the recipe does not change the pixels, and no conversion is
    /// needed. A HEIF that had to be turned here is excluded, however small, because clients' decoders turn it in different ways
    /// (`ISOMediaTurn`), and the bytes at hand have lost the turn.
    var ownFile: AlternativeFile? {
        guard job.defaults.keepsSmallerOriginal, format == job.header.format, orientation == 1,
            source.turn == nil, frames.count == job.header.pages,
            space == CVIPS_SPACE_RGB || space == CVIPS_SPACE_GREY, profile?.isSRGB ?? true, !wasDescribed,
            job.recipe.leavesPixels(of: job.header),
            format != .gif || GIFContainer.screen(source.file) == picture.size
        else { return nil }
        let notes = notes
        if notes.isEmpty, let kept = StrippedOriginal.parts(of: source.file, format) {
            return AlternativeFile(keeping: kept, format)
        }
        guard let bytes = StrippedOriginal.of(source.file, format) else { return nil }
        let file =
            notes.isEmpty
            ? bytes : notes.added(to: bytes, format, picture.size, hasAlpha: picture.hasAlpha)
        return file.map { AlternativeFile($0, format) }
    }

    /// The profile and the metadata of the file.
    var notes: FileNotes {
        var notes = FileNotes(profile: keptProfile.map(FileNotes.Profile.own) ?? (isWide ? .displayP3 : nil))
        if format.canTellProfile { notes.exif = source.rights.exif }
        if format == .jpeg, let gainMap, gainMap.isLuminance || !changesPrimaries { notes.gainMap = gainMap }
        return notes
    }

    /// The number of bytes that were sent; throws if sending failed.
    func sent(_ output: Sink, _ succeeded: Bool) throws(ImagingFailure) -> Int {
        guard succeeded else { throw output.failure(limit: job.outputLimit) }
        return output.length
    }

    /// The bits of the palette to keep; 0 for a very small picture, in which a palette costs more bytes than
    /// it saves.
    private var palette: Int { picture.size.width * picture.size.height < 256 ? 0 : paletteBits }
}

extension Duration {
    var microseconds: Int {
        Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000)
    }
}
