// SPDX-License-Identifier: Apache-2.0

/// A colour that is taken from the picture itself. It has no alpha.
package enum ColourSample: String, Sendable, Hashable, CaseIterable {
    /// The mean of all pixels, weighted by their alpha.
    case average
    /// The colour of the top left pixel.
    case topLeft = "top-left"
    /// The colour of the bottom right pixel.
    case bottomRight = "bottom-right"
}
