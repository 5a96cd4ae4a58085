// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// The file of the best quality that fits `limit` bytes, or the file of quality 1 if none fits.
    ///
    /// If the encoding has full chroma, half of it is tried as well, because it leaves bytes for a higher quality: a file of few
    /// bytes looks better with it. The file that looks more like the picture is the answer.
    /// - Parameters:
    ///   - pixels: the picture, in memory.
    ///   - highest: the quality to begin with.
    func fit(
        _ pixels: Picture, by encoding: Encoding, within limit: Int, upTo highest: Int
    ) throws(ImagingFailure) -> Found {
        var search = SizeSearch(upTo: highest)
        let best = try self.best(of: pixels, by: encoding, within: limit, &search)
        var (half, tries) = (encoding, search.tries)
        half.hasFullChroma = false
        var found = best
        if encoding.hasFullChroma {
            // The same quality takes fewer bytes, so it fits, and looks no better.
            var rest = SizeSearch(upTo: Quality.fullChroma - 1, above: search.fitting)
            let other = try self.best(of: pixels, by: half, within: limit, &rest)
            tries += rest.tries
            if let best, let other {
                found = try moreAlike(best, other, to: pixels)
            } else {
                found = best ?? other
            }
        }
        var answer: Found
        if let found {
            answer = found
        } else {
            answer = try smallest(of: pixels, by: half)
        }
        answer.tries = tries
        return answer
    }

    /// Nil if no file fits.
    private func best(
        of pixels: Picture, by encoding: Encoding, within limit: Int, _ search: inout SizeSearch
    ) throws(ImagingFailure) -> Found? {
        var best: Found?
        while let quality = search.next {
            let file = try self.file(of: pixels, by: encoding, quality: quality, within: limit)
            search.record(quality, fits: file != nil)
            guard let file else { continue }
            best = Found(file: file, encoding: encoding, quality: quality, tries: 0, decoding: 0)
        }
        return best
    }

    private func smallest(of pixels: Picture, by encoding: Encoding) throws(ImagingFailure) -> Found {
        let file = Sink(inMemory: job.outputLimit)
        _ = try encoding.write(pixels, to: file, quality: 1)
        return Found(file: file, encoding: encoding, quality: 1, tries: 0, decoding: 0)
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
