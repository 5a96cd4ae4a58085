// SPDX-License-Identifier: Apache-2.0

/// Changes of lightness, chroma and hue, in CIE LCh.
package struct Modulation: Sendable, Hashable {
    /// Factor of the lightness, 0…10,000.
    package var brightness: Double
    /// Factor of the chroma, 0…10,000.
    package var saturation: Double
    /// Degrees added to the hue; 0..<360 in a canonical recipe.
    package var hue: Int

    /// The default changes nothing.
    package init(brightness: Double = 1, saturation: Double = 1, hue: Int = 0) {
        self.brightness = brightness
        self.saturation = saturation
        self.hue = hue
    }

    /// No change.
    package static let none = Modulation()
}
