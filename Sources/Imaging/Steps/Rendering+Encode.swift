// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// Writes the rendition. The pixels are made now, while the encoder asks for them.
    func encode(_ picture: Picture, start: ContinuousClock.Instant) throws(ImagingFailure) -> Rendered {
        let prepared = ContinuousClock.now
        let encoding = Encoding(
            job: job, format: format, paletteBits: palette, resized: isChanged, frames: frames.count,
            isWide: isWide)
        let written = try write(picture, by: encoding)
        let total = ContinuousClock.now
        let size = self.picture.size
        let making = (prepared - start).microseconds + written.decoding
        var result = Rendered(
            format: format, width: size.width, height: size.height, pages: frames.count,
            length: written.length, decoding: making,
            encoding: max(0, (total - start).microseconds - making), quality: written.quality,
            tries: written.tries)
        result.isPlanar = isPlanar
        return result
    }

    private struct Written {
        var length: Int
        /// Microseconds.
        var decoding = 0
        var quality: Int?
        var tries = 0
    }

    /// Straight to the output, unless there is a choice to make.
    private func write(_ picture: Picture, by encoding: Encoding) throws(ImagingFailure) -> Written {
        let output = Sink(descriptor: job.output, limit: job.outputLimit)
        if case .likeness(let target) = job.recipe.quality, encoding.canSearch {
            let found = try search(picture, by: encoding, for: target ?? job.defaults.targetLikeness)
            if let own = ownBytes, own.count < found.file.length {
                return Written(length: try sent(output, output.write(own)), decoding: found.decoding)
            }
            return Written(
                length: try sent(output, output.write(found.file.bytes)), decoding: found.decoding,
                quality: found.quality, tries: found.tries)
        }
        guard let own = ownBytes else {
            let decoding = try encoding.write(picture, to: output)
            return Written(length: output.length, decoding: decoding)
        }
        // An encoder that comes to more bytes than the original has need not go on.
        let file = Sink(inMemory: min(own.count, job.outputLimit))
        do throws(ImagingFailure) {
            let decoding = try encoding.write(picture, to: file)
            return Written(length: try sent(output, output.write(file.bytes)), decoding: decoding)
        } catch {
            guard case .outputTooLarge = error, own.count <= job.outputLimit else { throw error }
            return Written(length: try sent(output, output.write(own)))
        }
    }

    /// The original's bytes where they are an answer: nothing is asked of its pixels, and nothing has to be done to
    /// them that goes without asking.
    private var ownBytes: [UInt8]? {
        guard job.defaults.keepsSmallerOriginal, format == job.header.format, job.header.orientation == 1,
            frames.count == job.header.pages,
            space == CVIPS_SPACE_RGB || space == CVIPS_SPACE_GREY, profile?.isSRGB ?? true, !wasDescribed,
            job.recipe.leavesPixels(of: job.header)
        else { return nil }
        return OwnBytes.of(source.file, format)
    }

    /// The bytes that were sent, if they were.
    func sent(_ output: Sink, _ succeeded: Bool) throws(ImagingFailure) -> Int {
        guard !succeeded else { return output.length }
        throw output.isOver
            ? .outputTooLarge(limit: job.outputLimit) : .cannotWrite("write: errno \(output.sink.error)")
    }

    /// A palette's own bytes outweigh what it saves of a very small picture.
    private var palette: Int { picture.size.width * picture.size.height < 256 ? 0 : paletteBits }
}

extension Duration {
    var microseconds: Int {
        Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000)
    }
}
