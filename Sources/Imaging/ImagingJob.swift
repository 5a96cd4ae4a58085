// SPDX-License-Identifier: Apache-2.0

package import ImageModel

/// One picture to make: both descriptors are positioned at 0, the input is `inputLength` bytes long and does not
/// change while it is read.
package struct ImagingJob: Sendable {
    /// At which trouble in the original its picture is refused.
    package enum Strictness: Sendable, Hashable, CaseIterable {
        /// What can be seen is shown.
        case lenient
        /// Refuses a picture whose end is missing.
        case truncated
        /// Refuses a picture with an error that the loader could live with.
        case error
        /// Refuses a picture at the loader's first warning.
        case warning
    }

    package var input: Int32
    package var inputLength: Int
    package var header: ImageHeader
    /// `output` is `.source` or `.format`.
    package var recipe: Recipe
    package var defaults: EncoderDefaults
    package var output: Int32
    /// Bytes.
    package var outputLimit: Int
    package var strictness: Strictness

    package init(
        input: Int32, inputLength: Int, header: ImageHeader, recipe: Recipe, defaults: EncoderDefaults,
        output: Int32, outputLimit: Int, strictness: Strictness = .truncated
    ) {
        self.input = input
        self.inputLength = inputLength
        self.header = header
        self.recipe = recipe
        self.defaults = defaults
        self.output = output
        self.outputLimit = outputLimit
        self.strictness = strictness
    }
}
