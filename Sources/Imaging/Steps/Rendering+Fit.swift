// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

extension Rendering {
    /// The file of the best quality that has no more than `limit` bytes; that of the lowest quality if none has.
    /// - Parameters:
    ///   - pixels: in memory.
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
        // All of the chroma would take more, and may be what did not fit.
        var least = encoding
        least.hasFullChroma = false
        _ = try least.write(pixels, to: file, quality: 1)
        return found(file, 1)
    }

    /// Nil if it has more bytes. An encoder need not come to its end for that.
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
