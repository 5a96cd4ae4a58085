// SPDX-License-Identifier: Apache-2.0

package import ImageModel

/// What may be asked of a decoder: told from the picture's header and the recipe, before any decoder sees a byte.
package struct PictureLimits: Sendable, Hashable {
    package var formats: Set<ImageFormat>
    /// Pixels of an original, in all the frames that are decoded together.
    package var pixels: Int
    /// Frames that are decoded together.
    package var frames: Int
    /// Pixels of a rendition, in all its frames.
    package var outputPixels: Int
    /// Bytes that one job may be priced at; see `JobPrice`.
    package var memory: Int

    package init(
        formats: Set<ImageFormat> = [.jpeg, .png, .webp, .gif, .avif, .heic, .tiff],
        pixels: Int = 100_000_000,
        frames: Int = 256, outputPixels: Int = 100_000_000, memory: Int = .max
    ) {
        self.formats = formats
        self.pixels = pixels
        self.frames = frames
        self.outputPixels = outputPixels
        self.memory = memory
    }

    /// What holds for every recipe: the format is served, and one frame may be decoded.
    package func check(_ header: ImageHeader) throws(DecodeFailure) {
        guard formats.contains(header.format), header.isDecodable else {
            throw .formatNotAllowed(header.format)
        }
        guard Self.area(header.width, header.height, frames: 1, fits: pixels) else {
            throw .tooManyPixels(limit: pixels)
        }
    }

    /// - Parameter recipe: its output is definite.
    package func check(_ header: ImageHeader, for recipe: Recipe) throws(DecodeFailure) {
        try check(header)
        let taken = recipe.framesTaken(from: header)
        guard taken <= frames else { throw .tooManyFrames(limit: frames) }
        guard Self.area(header.width, header.height, frames: taken, fits: pixels) else {
            throw .tooManyPixels(limit: pixels)
        }
        let plan = Geometry.plan(upright: header.upright, recipe: recipe)
        if let side = plan.limitExceeded(writing: recipe.resolvedOutput(for: header)) {
            throw .outputTooLarge(limit: side)
        }
        for size in [plan.resized, plan.canvas] {
            guard Self.area(size.width, size.height, frames: taken, fits: outputPixels) else {
                throw .outputTooLarge(limit: outputPixels)
            }
        }
        let price = JobPrice.bytes(header: header, recipe: recipe)
        guard price <= memory else { throw .tooMuchMemory(needed: price, limit: memory) }
    }

    /// The sides come from a file that may mean harm: their product need not fit an Int.
    private static func area(_ width: Int, _ height: Int, frames: Int, fits limit: Int) -> Bool {
        let (area, overflows) = width.multipliedReportingOverflow(by: height)
        return !overflows && area <= limit / max(1, frames)
    }
}
