// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders
package import Recipes

/// One picture to make.
package struct ImagingJob: Sendable {
    /// A picture's file: positioned at 0, `length` bytes long, and not changed while it is read.
    package struct Original: Sendable {
        /// A raw descriptor that the caller keeps open while the job runs.
        package var input: Int32
        /// Bytes.
        package var length: Int
        /// The header that an inspector read from the file.
        package var header: ImageHeader

        /// - Parameter length: bytes.
        package init(input: Int32, length: Int, header: ImageHeader) {
            self.input = input
            self.length = length
            self.header = header
        }
    }

    /// The picture to render.
    package var original: Original
    /// The picture of the recipe's watermark; nil where it has none.
    package var watermark: Original?
    /// Resolved for the original: its `output` is `.auto` where lossless WebP may come in place of AVIF.
    package var recipe: Recipe
    /// Encoder settings for a recipe without its own.
    package var defaults: EncoderDefaults
    /// Positioned at 0.
    package var output: Int32
    /// Bytes.
    package var outputLimit: Int
    /// Pixels of the rendition, in all its frames.
    package var pixelLimit: Int
    /// The treatment of a truncated original.
    package var damaged: DamagedPicture
    /// Whether a usual JPEG that becomes smaller is decoded and resized without libvips.
    package var jpegLane = true

    /// - Parameter outputLimit: bytes; `pixelLimit` is pixels.
    package init(
        original: Original, watermark: Original? = nil, recipe: Recipe, defaults: EncoderDefaults,
        output: Int32, outputLimit: Int, pixelLimit: Int, damaged: DamagedPicture
    ) {
        self.original = original
        self.watermark = watermark
        self.recipe = recipe
        self.defaults = defaults
        self.output = output
        self.outputLimit = outputLimit
        self.pixelLimit = pixelLimit
        self.damaged = damaged
    }

    /// The header of the original.
    package var header: ImageHeader { original.header }
}
