// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders
package import Recipes

/// The limits of a decoder's job, checked by the picture's header and the recipe before any decoder sees a byte.
package struct PictureLimits: Sendable, Hashable {
    package var formats: Set<ImageFormat>
    /// Formats that may be asked for.
    package var outputs: Set<ImageFormat>
    /// Pixels of an original, in all the frames that are decoded together.
    package var pixels: Int
    /// Frames that are decoded together.
    package var frames: Int
    /// Pixels of a rendition, in all its frames.
    package var outputPixels: Int
    /// Pixels of a rendition, in all its frames, that has more of them than its original; of those that strangers ask
    /// for. 0 = as many as `outputPixels`.
    package var enlargedPixels: Int
    /// Pixels of a rendition above which WebP is written in place of AVIF.
    package var avifPixels: Int
    /// Bytes that one job may be priced at; see `JobPrice`.
    package var memory: Int

    package init(
        formats: Set<ImageFormat> = [.jpeg, .png, .webp, .gif, .avif, .heic, .tiff],
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

    /// The limits that hold for every recipe: the format is served, and one frame may be decoded.
    /// - Throws: `.formatNotAllowed` or `.tooManyPixels`.
    package func check(_ header: ImageHeader) throws(DecodeFailure) {
        guard formats.contains(header.format), header.isDecodable else {
            throw .formatNotAllowed(header.format)
        }
        guard Self.area(header.width, header.height, frames: 1, fits: pixels) else {
            throw .tooManyPixels(limit: pixels)
        }
    }

    /// All limits of a job, but for `enlargedPixels`.
    /// - Parameters:
    ///   - recipe: its output is definite.
    ///   - watermark: the header of the recipe's watermark, where that is known.
    /// - Throws: the first limit that the job exceeds.
    package func check(
        _ header: ImageHeader, for recipe: Recipe, watermark: ImageHeader? = nil
    ) throws(DecodeFailure) {
        try check(header)
        let format = recipe.resolvedOutput(for: header)
        guard outputs.contains(format) else { throw .outputNotAllowed(format) }
        let taken = recipe.framesTaken(from: header)
        // A frame builds on the frames before it, so those are decoded too.
        let decoded = header.format.canAnimate ? max(0, recipe.page) + taken : taken
        guard decoded <= frames else { throw .tooManyFrames(limit: frames) }
        guard Self.area(header.width, header.height, frames: taken, fits: pixels) else {
            throw .tooManyPixels(limit: pixels)
        }
        let plan = Geometry.plan(upright: header.upright, recipe: recipe)
        if let side = plan.limitExceeded(writing: format) {
            throw .outputTooLarge(limit: side)
        }
        for size in [plan.resized, plan.canvas] {
            guard Self.area(size.width, size.height, frames: taken, fits: outputPixels) else {
                throw .outputTooLarge(limit: outputPixels)
            }
        }
        let price = JobPrice.bytes(header: header, recipe: recipe, watermark: watermark)
        guard price <= memory else { throw .tooMuchMemory(needed: price, limit: memory) }
    }

    /// The limit of strangers: pixels that are not in the original cost time and bytes, and show nothing.
    /// - Throws: `.enlargedTooFar`.
    package func checkEnlargement(of header: ImageHeader, by recipe: Recipe) throws(DecodeFailure) {
        // A drawing has no pixels of its own, nor has a document, which only its decoder can measure.
        guard enlargedPixels > 0, header.format != .svg, header.format != .pdf else { return }
        let plan = Geometry.plan(upright: header.upright, recipe: recipe)
        let frames = recipe.framesTaken(from: header)
        for size in [plan.resized, plan.canvas] {
            let isLarger = !Self.area(size.width, size.height, frames: 1, fits: header.width &* header.height)
            guard !isLarger || Self.area(size.width, size.height, frames: frames, fits: enlargedPixels) else {
                throw .enlargedTooFar(limit: enlargedPixels)
            }
        }
    }

    /// The sides come from a file that may mean harm: their product need not fit an Int.
    private static func area(_ width: Int, _ height: Int, frames: Int, fits limit: Int) -> Bool {
        let (area, overflows) = width.multipliedReportingOverflow(by: height)
        return !overflows && area <= limit / max(1, frames)
    }
}
