// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// The file that a search has found.
    struct Found {
        let file: Sink
        let encoding: Encoding
        let quality: Int
        var tries: Int
        /// Microseconds that making the pixels took.
        let decoding: Int
    }

    /// Searches for the quality with the wanted likeness. Large pictures are tried with a sample, so that the
    /// time does not grow with the picture.
    func search(
        _ picture: Picture, by encoding: Encoding, for target: Double
    ) throws(ImagingFailure) -> Found {
        let start = ContinuousClock.now
        let pixels = try picture.inMemory()
        let decoding = (ContinuousClock.now - start).microseconds
        let sample = try sample(of: pixels)
        var answer = try self.answer(of: sample, by: encoding, for: target)
        if answer.search.doubtsHalfChroma, !encoding.hasFullChroma, sample.facts.bands > 2 {
            answer = try better(answer, of: sample, for: target)
        }
        let file: Sink
        if sample === pixels {
            file = try answer.file(of: sample, within: job.outputLimit)
        } else {
            file = Sink(inMemory: job.outputLimit)
            _ = try answer.encoding.write(pixels, to: file, quality: answer.quality)
        }
        return Found(
            file: file, encoding: answer.encoding, quality: answer.quality, tries: answer.tries,
            decoding: decoding)
    }

    /// The result of a search.
    private struct Answer {
        let encoding: Encoding
        let search: QualitySearch
        let quality: Int
        /// The files of the tries by quality.
        let files: [Int: Sink]
        var tries: Int

        /// The sample encoded with the answer's quality.
        func file(of sample: Picture, within limit: Int) throws(ImagingFailure) -> Sink {
            if let file = files[quality] { return file }
            let file = Sink(inMemory: limit)
            _ = try encoding.write(sample, to: file, quality: quality)
            return file
        }
    }

    private func answer(
        of sample: Picture, by encoding: Encoding, for target: Double
    ) throws(ImagingFailure) -> Answer {
        guard let loader = encoding.format.loader else { throw .formatNotAllowed }
        var search = QualitySearch(target: target, curve: .of(encoding.format))
        var files: [Int: Sink] = [:]
        while let quality = search.next {
            let file = Sink(inMemory: job.outputLimit)
            _ = try encoding.write(sample, to: file, quality: quality)
            search.record(quality, likeness: try sample.likeness(to: file.bytes, by: loader))
            files[quality] = file
        }
        guard let quality = search.answer else { throw .encoderFailed("a search without a try") }
        return Answer(encoding: encoding, search: search, quality: quality, files: files, tries: search.tries)
    }

    /// The answer with half the chroma, or one with full chroma if half does not reach the target or takes more bytes.
    private func better(
        _ half: Answer, of sample: Picture, for target: Double
    ) throws(ImagingFailure) -> Answer {
        var encoding = half.encoding
        encoding.hasFullChroma = true
        let full = try self.answer(of: sample, by: encoding, for: target)
        let halfLength = try half.file(of: sample, within: job.outputLimit).length
        let fullLength = try full.file(of: sample, within: job.outputLimit).length
        var better = half.search.isReached && halfLength <= fullLength ? half : full
        better.tries = half.tries + full.tries
        return better
    }

    /// The file that looks more like the picture, by the part of it that searches judge.
    func moreAlike(_ first: Found, _ second: Found, to pixels: Picture) throws(ImagingFailure) -> Found {
        let sample = try sample(of: pixels)
        return try likeness(of: first, to: sample) >= likeness(of: second, to: sample) ? first : second
    }

    private func likeness(of found: Found, to sample: Picture) throws(ImagingFailure) -> Double {
        guard let loader = found.encoding.format.loader else { throw .formatNotAllowed }
        let file = Sink(inMemory: job.outputLimit)
        _ = try found.encoding.write(sample, to: file, quality: found.quality)
        return try sample.likeness(to: file.bytes, by: loader)
    }

    /// Tiles from all over the first frame, one below the other; the whole frame if it is small.
    private func sample(of pixels: Picture) throws(ImagingFailure) -> Picture {
        let size = picture.size
        guard size.width * size.height > Self.mostPixelsJudged else {
            guard frames.count > 1 else { return pixels }
            return try pixels.cropped(x: 0, y: 0, to: size).paged(height: 0).inMemory()
        }
        let tile = PixelSize(width: min(size.width, Self.tile), height: min(size.height, Self.tile))
        var tiles: [Picture] = []
        for y in Self.places(of: tile.height, in: size.height) {
            for x in Self.places(of: tile.width, in: size.width) {
                tiles.append(try pixels.cropped(x: x, y: y, to: tile).paged(height: 0))
            }
        }
        return try Picture.joined(tiles).inMemory()
    }

    /// The most pixels that are judged, few enough for the one or two tries of a search. The quality is exact to
    /// 0.5 for a whole picture, and to 2 for a sample.
    private static var mostPixelsJudged: Int { 430_000 }
    /// The side of a tile in pixels: a multiple of every encoder's block.
    private static var tile: Int { 128 }

    /// The offsets of up to four tiles, evenly spread over the side.
    private static func places(of tile: Int, in side: Int) -> [Int] {
        let count = min(4, side / tile)
        return (0..<count).map { count == 1 ? (side - tile) / 2 : $0 * (side - tile) / (count - 1) }
    }
}

extension Picture {
    /// The likeness of a file to this picture, which is in memory.
    fileprivate func likeness(
        to file: UnsafeRawBufferPointer, by loader: cvips_loader
    ) throws(ImagingFailure) -> Double {
        guard let source = cvips_source_memory(file.baseAddress, file.count) else {
            throw .encoderFailed(Picture.error())
        }
        defer { cvips_source_release(source) }
        var options = cvips_load_options()
        options.loader = loader
        options.pages = 1
        options.shrink = 1
        options.scale = 1
        let copy = try Picture(cvips_load(source, &options)).inMemory()
        var likeness = 0.0
        guard cvips_likeness(image, copy.image, &likeness) == 0 else {
            let words = Picture.error()
            throw ImagingFailure.tellsOfMemory(words) ? .outOfMemory(words) : .encoderFailed(words)
        }
        return likeness
    }
}
