// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

extension Rendering {
    /// The file of the best quality that fits `limit` bytes, or the file of quality 1 if none fits.
    /// - Parameters:
    ///   - pixels: the picture, in memory.
    ///   - highest: the quality to begin with.
    func fit(
        _ pixels: Picture, by encoding: Encoding, within limit: Int, upTo highest: Int
    ) throws(ImagingFailure) -> Found {
        var search = SizeSearch(upTo: highest)
        func found(_ file: Sink, _ quality: Int) -> Found {
            Found(file: file, encoding: encoding, quality: quality, tries: search.tries, decoding: 0)
        }
        var best: (file: Sink, quality: Int)?
        while let quality = search.next {
            let file = try self.file(of: pixels, by: encoding, quality: quality, within: limit)
            search.record(quality, fits: file != nil)
            if let file { best = (file, quality) }
        }
        if let best { return found(best.file, best.quality) }
        let file = Sink(inMemory: job.outputLimit)
        // Full chroma takes more bytes, and may be the reason why nothing fitted.
        var least = encoding
        least.hasFullChroma = false
        _ = try least.write(pixels, to: file, quality: 1)
        return found(file, 1)
    }

    /// Nil if the file exceeds `limit`; the encoder stops there.
    private func file(
        of pixels: Picture, by encoding: Encoding, quality: Int, within limit: Int
    ) throws(ImagingFailure) -> Sink? {
        let file = Sink(inMemory: min(limit, job.outputLimit))
        do throws(ImagingFailure) {
            _ = try encoding.write(pixels, to: file, quality: quality)
            return file
        } catch {
            guard case .outputTooLarge = error, limit < job.outputLimit else { throw error }
            return nil
        }
    }
}
