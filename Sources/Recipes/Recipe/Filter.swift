// SPDX-License-Identifier: Apache-2.0

/// A colour filter.
package enum Filter: Sendable, Hashable {
    case greyscale, sepia, negate
    /// Maps lightness to colours between the two, in CIE Lab; their alpha is ignored.
    case duotone(start: Color, stop: Color)

    /// The default colour for dark pixels.
    package static let duotoneStart = Color(red: 0xC8, green: 0x36, blue: 0x58)
    /// The default colour for light pixels.
    package static let duotoneStop = Color(red: 0xD8, green: 0xE7, blue: 0x4F)
}
