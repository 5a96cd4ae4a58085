// SPDX-License-Identifier: Apache-2.0

/// How an encoder wants the planes of a picture.
package struct PlaneForm: Sendable {
    /// A sample of chroma stands for 2 × 2 pixels.
    package var halvesChroma: Bool
    /// Luma from 16 to 235 and chroma from 16 to 240 (BT.601), in place of 0 to 255 (JFIF).
    package var isLimited: Bool

    package init(halvesChroma: Bool, isLimited: Bool) {
        self.halvesChroma = halvesChroma
        self.isLimited = isLimited
    }

    /// The form of planes that become red, green and blue.
    static let forColours = PlaneForm(halvesChroma: false, isLimited: false)
}
