// SPDX-License-Identifier: Apache-2.0

/// A colour that is taken from the picture itself. It has no alpha.
package enum ColourSample: String, Sendable, Hashable, CaseIterable {
    /// The mean of all pixels, by their alpha.
    case average
    /// The colour of the first pixel.
    case topLeft = "top-left"
    /// The colour of the last pixel.
    case bottomRight = "bottom-right"
}
