// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders
package import Recipes

/// Limits of a decoder's job, checked by the picture's header and the recipe before any decoder sees a byte.
package struct PictureLimits: Sendable, Hashable {
    /// Formats of originals that are served.
    package var formats: Set<ImageFormat>
    /// Formats of renditions that may be asked for.
    package var outputs: Set<ImageFormat>
    /// Pixels of an original, over all frames that are decoded together.
    package var pixels: Int
    /// Frames that are decoded together.
    package var frames: Int
    /// Pixels of a rendition, over all its frames.
    package var outputPixels: Int
    /// Pixels of a rendition, over all its frames, that has more pixels than its original; holds for strangers' requests. 0 = as many
    /// as `outputPixels`.
    package var enlargedPixels: Int
    /// Pixels of a rendition above which WebP replaces AVIF.
    package var avifPixels: Int
    /// Bytes: the highest price of a job, see `JobPrice`.
    package var memory: Int
    /// The encoders' settings where a recipe names none; they decide the price of a job.
    package var encoders = EncoderDefaults()

    /// The defaults are those of the settings, but without limits on enlargement and memory.
    package init(
        formats: Set<ImageFormat> = Set(ImageFormat.trusted),
        outputs: Set<ImageFormat> = [.jpeg, .png, .webp, .gif, .avif, .tiff],
        pixels: Int = 100_000_000,
        frames: Int = 256, outputPixels: Int = 100_000_000, enlargedPixels: Int = 16_000_000,
        avifPixels: Int = 4_000_000,
        memory: Int = .max
    ) {
        self.formats = formats
        self.outputs = outputs
        self.pixels = pixels
        self.frames = frames
        self.outputPixels = outputPixels
        self.enlargedPixels = enlargedPixels
        self.avifPixels = avifPixels
        self.memory = memory
    }

    /// Checks the limits that hold for every recipe: the format is served, and one frame may be decoded.
    /// - Throws: `.formatNotAllowed`, `.codingNotRead` or `.tooManyPixels`.
    package func check(_ header: ImageHeader) throws(DecodeFailure) {
        guard formats.contains(header.format) else { throw .formatNotAllowed(header.format) }
        guard header.isDecodable else { throw .codingNotRead(header.format) }
        guard header.decodedPixels <= pixels else {
            throw .tooManyPixels(limit: pixels)
        }
    }

    /// Checks all limits of a job.
    /// - Parameters:
    ///   - recipe: must be resolved.
    ///   - watermark: the header of the recipe's watermark; nil without one, or if it is unknown.
    ///   - isForStranger: true if `enlargedPixels` holds as well.
    /// - Throws: the first limit that the job exceeds.
    package func check(
        _ header: ImageHeader, for recipe: Recipe, watermark: ImageHeader? = nil, isForStranger: Bool = false
    ) throws(DecodeFailure) {
        try check(header)
        guard recipe.output != .raw else { return }
        for shape in recipe.shapes(of: header) {
            try check(header, shape, for: recipe, watermark: watermark, isForStranger: isForStranger)
        }
    }

    /// - Parameters:
    ///   - original: the header from the file, by which the page's pixels are counted.
    ///   - header: the same header with one of the shapes that the page may have.
    private func check(
        _ original: ImageHeader, _ header: ImageHeader, for recipe: Recipe, watermark: ImageHeader?,
        isForStranger: Bool
    ) throws(DecodeFailure) {
        let format = recipe.resolvedOutput(for: header)
        guard outputs.contains(format) else { throw .outputNotAllowed(format) }
        let taken = recipe.framesTaken(from: header)
        // A frame builds on earlier frames, so the earlier frames are decoded too.
        let decoded = header.format.canAnimate ? max(0, recipe.page) + taken : taken
        guard decoded <= frames else { throw .tooManyFrames(limit: frames) }
        guard original.decodedPixels(ofPage: recipe.page) <= pixels / max(1, taken) else {
            throw .tooManyPixels(limit: pixels)
        }
        let plan = Geometry.plan(upright: header.upright, recipe: recipe)
        if let side = plan.limitExceeded(writing: format) {
            throw .outputTooLarge(.side(side))
        }
        for size in [plan.resized, plan.padded] {
            guard Self.area(size.width, size.height, frames: taken, fits: outputPixels) else {
                throw .outputTooLarge(.pixels(outputPixels))
            }
        }
        let price = JobPrice.bytes(
            of: original, header, recipe: recipe, watermark: watermark, encoders: encoders, plan)
        guard price <= memory else { throw .tooMuchMemory(needed: price, limit: memory) }
        guard isForStranger else { return }
        try checkEnlargement(of: header, original.pixels(ofPage: recipe.page), by: plan, frames: taken)
    }

    /// Checks the limit for strangers, because pixels beyond the original's cost time and bytes and show nothing more.
    /// - Parameter shown: the pixels of the page.
    /// - Throws: `.enlargedTooFar`.
    private func checkEnlargement(
        of header: ImageHeader, _ shown: Int, by plan: Geometry, frames: Int
    ) throws(DecodeFailure) {
        guard enlargedPixels > 0, !header.format.isVector else { return }
        for size in [plan.resized, plan.padded] {
            let isLarger = !Self.area(size.width, size.height, frames: 1, fits: shown)
            guard !isLarger || Self.area(size.width, size.height, frames: frames, fits: enlargedPixels) else {
                let asked = Int(saturatingProduct: size.width, size.height, max(1, frames))
                throw .enlargedTooFar(asked: asked, limit: enlargedPixels)
            }
        }
    }

    /// The sides come from a hostile file, so their product may overflow.
    private static func area(_ width: Int, _ height: Int, frames: Int, fits limit: Int) -> Bool {
        let (area, overflows) = width.multipliedReportingOverflow(by: height)
        return !overflows && area <= limit / max(1, frames)
    }
}
