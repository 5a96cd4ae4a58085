// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders
package import Recipes

/// One picture to render.
package struct ImagingJob: Sendable {
    /// A picture's file: positioned at 0, `length` bytes long, and never changed while it is read.
    package struct Original: Sendable {
        /// A raw descriptor that the caller keeps open while the job runs.
        package var input: Int32
        /// The length in bytes.
        package var length: Int
        /// The header that an inspector read from the file.
        package var header: ImageHeader

        /// - Parameter length: the length in bytes.
        package init(input: Int32, length: Int, header: ImageHeader) {
            self.input = input
            self.length = length
            self.header = header
        }
    }

    /// The picture to render.
    package var original: Original
    /// The picture of the recipe's watermark; nil if it has none.
    package var watermark: Original?
    /// The recipe, resolved for the original. Its `output` is `.auto` if lossless WebP may take the place of
    /// AVIF.
    package var recipe: Recipe
    /// Encoder settings that the recipe does not set.
    package var defaults: EncoderDefaults
    /// The descriptor of the output, positioned at 0.
    package var output: Int32
    /// The most bytes of the rendition.
    package var outputLimit: Int
    /// The most pixels of the rendition, in all its frames together.
    package var pixelLimit: Int
    /// The treatment of a truncated original.
    package var damaged: DamagedPicture
    /// Whether a usual JPEG that becomes smaller may be decoded and resized without libvips.
    package var jpegLane = true

    /// - Parameters:
    ///   - outputLimit: in bytes.
    ///   - pixelLimit: in pixels.
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
