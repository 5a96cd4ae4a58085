// SPDX-License-Identifier: Apache-2.0

package import ImageModel

/// One picture to make: both descriptors are positioned at 0, the input is `inputLength` bytes long.
package struct ImagingJob: Sendable {
    package var input: Int32
    package var inputLength: Int
    package var header: ImageHeader
    /// `output` is `.source` or `.format`.
    package var recipe: Recipe
    package var defaults: EncoderDefaults
    package var output: Int32
    /// Bytes.
    package var outputLimit: Int

    package init(
        input: Int32, inputLength: Int, header: ImageHeader, recipe: Recipe, defaults: EncoderDefaults,
        output: Int32, outputLimit: Int
    ) {
        self.input = input
        self.inputLength = inputLength
        self.header = header
        self.recipe = recipe
        self.defaults = defaults
        self.output = output
        self.outputLimit = outputLimit
    }
}

package struct ImagingResult: Sendable, Hashable {
    package var format: ImageFormat
    package var width: Int
    package var height: Int
    package var pages: Int
    /// Bytes written to the output.
    package var length: Int
    /// Microseconds.
    package var decoding: Int
    package var encoding: Int

    package init(
        format: ImageFormat, width: Int, height: Int, pages: Int, length: Int, decoding: Int, encoding: Int
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.pages = pages
        self.length = length
        self.decoding = decoding
        self.encoding = encoding
    }
}

package enum ImagingFailure: Error, Sendable, Hashable {
    /// libvips could not be started.
    case unavailable(String)
    /// The loader gave up; libvips' own words, for the log.
    case damaged(String)
    case formatNotAllowed
    case tooManyFrames(limit: Int)
    case outputTooLarge(limit: Int)
    /// The output could not be written.
    case cannotWrite(String)
}

/// libvips in this process. Runs in `pictor decoder` only.
package enum Engine {
    package static func start() throws(ImagingFailure) {}

    /// "libvips 8.14.1", for the rendition key.
    package static var version: String { "" }

    package static func render(_ job: ImagingJob) throws(ImagingFailure) -> ImagingResult {
        throw .unavailable("placeholder")
    }
}
