// SPDX-License-Identifier: Apache-2.0

package enum Filter: Sendable, Hashable {
    case greyscale, sepia, negate
    /// Lightness becomes a way from one colour to another, in CIE Lab. Their alpha means nothing.
    case duotone(start: Color, stop: Color)

    package static let duotoneStart = Color(red: 0xC8, green: 0x36, blue: 0x58)
    package static let duotoneStop = Color(red: 0xD8, green: 0xE7, blue: 0x4F)
}
