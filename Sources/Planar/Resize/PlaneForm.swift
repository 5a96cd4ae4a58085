// SPDX-License-Identifier: Apache-2.0

/// The form in which an encoder expects the planes of a picture.
package struct PlaneForm: Sendable {
    /// True if a sample of chroma stands for 2 × 2 pixels.
    package var halvesChroma: Bool
    /// True for luma from 16 to 235 and chroma from 16 to 240 (BT.601), false for 0 to 255 (JFIF).
    package var isLimited: Bool

    package init(halvesChroma: Bool, isLimited: Bool) {
        self.halvesChroma = halvesChroma
        self.isLimited = isLimited
    }

    /// The form of planes that are converted to red, green and blue.
    static let forColours = PlaneForm(halvesChroma: false, isLimited: false)
}
