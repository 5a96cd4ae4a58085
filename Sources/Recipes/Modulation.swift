// SPDX-License-Identifier: Apache-2.0

/// Changes in CIE LCh.
package struct Modulation: Sendable, Hashable {
    /// Factor of the lightness, 0…10,000.
    package var brightness: Double
    /// Factor of the chroma, 0…10,000.
    package var saturation: Double
    /// Whole degrees that are added to the hue; 0..<360 after folding.
    package var hue: Int

    package init(brightness: Double = 1, saturation: Double = 1, hue: Int = 0) {
        self.brightness = brightness
        self.saturation = saturation
        self.hue = hue
    }

    package static let none = Modulation()
}
