// SPDX-License-Identifier: Apache-2.0

/// A colour filter.
package enum Filter: Sendable, Hashable {
    case greyscale, sepia, negate
    /// Maps lightness to a path between two colours, in CIE Lab; ignores their alpha.
    case duotone(start: Color, stop: Color)

    /// The default for dark pixels.
    package static let duotoneStart = Color(red: 0xC8, green: 0x36, blue: 0x58)
    /// The default for light pixels.
    package static let duotoneStop = Color(red: 0xD8, green: 0xE7, blue: 0x4F)
}
