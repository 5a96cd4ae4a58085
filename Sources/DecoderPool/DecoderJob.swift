// SPDX-License-Identifier: Apache-2.0

package import ImageModel
package import Kernel

/// One picture to make.
package struct DecoderJob: Sendable {
    /// What is laid over the result.
    package struct Watermark: Sendable {
        /// As the job's own.
        package var input: OwnedDescriptor
        /// Bytes.
        package var length: Int
        package var header: ImageHeader

        package init(input: OwnedDescriptor, length: Int, header: ImageHeader) {
            self.input = input
            self.length = length
            self.header = header
        }
    }

    /// A regular file or a memory file, `inputLength` bytes from its start. It may be shared by jobs that run at
    /// the same time: each decoder gets its own read-only opening of it.
    package var input: OwnedDescriptor
    /// Bytes.
    package var inputLength: Int
    package var header: ImageHeader
    /// `output` is `.source` or `.format`.
    package var recipe: Recipe
    /// An empty regular file or memory file, open for writing at 0, that belongs to this job alone.
    package var output: OwnedDescriptor
    /// Bytes.
    package var outputLimit: Int
    /// Pixels of the rendition, in all its frames.
    package var pixelLimit: Int
    /// Where the recipe has one.
    package var watermark: Watermark?
    /// Bytes that it was admitted for.
    package var price: Int
    /// From the moment a process has the job.
    package var deadline: Duration

    package init(
        input: OwnedDescriptor, inputLength: Int, header: ImageHeader, recipe: Recipe,
        output: OwnedDescriptor, outputLimit: Int, pixelLimit: Int, watermark: Watermark? = nil,
        price: Int, deadline: Duration
    ) {
        self.input = input
        self.inputLength = inputLength
        self.header = header
        self.recipe = recipe
        self.output = output
        self.outputLimit = outputLimit
        self.pixelLimit = pixelLimit
        self.watermark = watermark
        self.price = price
        self.deadline = deadline
    }
}
