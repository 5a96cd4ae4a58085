// SPDX-License-Identifier: Apache-2.0

/// The removal of a border of one colour.
package struct Trim: Sendable, Hashable {
    /// The largest difference from the border's colour, 1…254.
    package var threshold: Int
    /// The border's colour; nil = the colour of a corner's pixel.
    package var color: Color?
    /// True for the colour of the bottom right pixel instead of the top left one. Ignored if `color` is set.
    package var isByLastPixel = false

    /// The default trims the colour of the top left pixel.
    package init(threshold: Int = 10, color: Color? = nil, isByLastPixel: Bool = false) {
        self.threshold = threshold
        self.color = color
        self.isByLastPixel = isByLastPixel
    }
}
