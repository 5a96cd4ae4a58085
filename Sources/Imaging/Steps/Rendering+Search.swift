// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders

extension Rendering {
    /// The file that is as like its pixels as was asked.
    struct Found {
        let file: Sink
        let quality: Int
        let tries: Int
        /// Microseconds that went into making the pixels.
        let decoding: Int
    }

    /// Tries are of a sample, read back and compared, so that the time does not grow with the picture.
    func search(
        _ picture: Picture, by encoding: Encoding, for target: Double
    ) throws(ImagingFailure) -> Found {
        let start = ContinuousClock.now
        let pixels = try picture.inMemory()
        let decoding = (ContinuousClock.now - start).microseconds
        let sample = try sample(of: pixels)
        var search = QualitySearch(target: target, curve: .of(encoding.format))
        guard let loader = encoding.format.loader else { throw .formatNotAllowed }
        var best: (file: Sink, quality: Int)?
        while let quality = search.next {
            let file = Sink(inMemory: job.outputLimit)
            _ = try encoding.write(sample, to: file, quality: quality)
            search.record(quality, likeness: try sample.likeness(to: file.bytes, by: loader))
            if search.answer == quality { best = (file, quality) }
        }
        guard var best else { throw .cannotWrite("a search without a try") }
        if sample !== pixels {
            best.file = Sink(inMemory: job.outputLimit)
            _ = try encoding.write(pixels, to: best.file, quality: best.quality)
        }
        return Found(file: best.file, quality: best.quality, tries: search.tries, decoding: decoding)
    }

    /// Tiles from all over the first frame, one below the other, or all of it if it is small.
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

    private static var mostPixelsJudged: Int { 200_000 }
    /// Pixels a side: a multiple of every encoder's block.
    private static var tile: Int { 128 }

    /// Up to three, evenly spread.
    private static func places(of tile: Int, in side: Int) -> [Int] {
        let count = min(3, side / tile)
        return (0..<count).map { count == 1 ? (side - tile) / 2 : $0 * (side - tile) / (count - 1) }
    }
}

extension Picture {
    /// How like a file is to this picture, which is in memory.
    fileprivate func likeness(
        to file: UnsafeRawBufferPointer, by loader: cvips_loader
    ) throws(ImagingFailure) -> Double {
        guard let source = cvips_source_memory(file.baseAddress, file.count) else {
            throw .cannotWrite(Picture.error())
        }
        defer { cvips_source_release(source) }
        var options = cvips_load_options()
        options.loader = loader
        options.pages = 1
        options.shrink = 1
        options.scale = 1
        let copy = try Picture(cvips_load(source, &options)).inMemory()
        var likeness = 0.0
        guard cvips_likeness(image, copy.image, &likeness) == 0 else { throw .cannotWrite(Picture.error()) }
        return likeness
    }
}
