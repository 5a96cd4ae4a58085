// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders
package import Recipes

/// One picture to make.
package struct ImagingJob: Sendable {
    /// A picture's file: positioned at 0, `length` bytes long, and not changed while it is read.
    package struct Original: Sendable {
        package var input: Int32
        /// Bytes.
        package var length: Int
        package var header: ImageHeader

        package init(input: Int32, length: Int, header: ImageHeader) {
            self.input = input
            self.length = length
            self.header = header
        }
    }

    package var original: Original
    /// What the recipe's watermark shows; nil where it has none.
    package var watermark: Original?
    /// `output` is `.source` or `.format`.
    package var recipe: Recipe
    package var defaults: EncoderDefaults
    /// Positioned at 0.
    package var output: Int32
    /// Bytes.
    package var outputLimit: Int
    /// Pixels of the rendition, in all its frames.
    package var pixelLimit: Int
    package var damaged: DamagedPicture
    /// Whether a usual JPEG that becomes smaller is decoded and resized without libvips.
    package var jpegLane = true

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

    package var header: ImageHeader { original.header }
}
