// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// An sRGB colour with straight (not premultiplied) alpha.
package struct Color: Sendable, Hashable {
    /// 0…255, as all channels.
    package let red: UInt8
    /// 0…255.
    package let green: UInt8
    /// 0…255.
    package let blue: UInt8
    /// 0…255; 255 is opaque.
    package let alpha: UInt8

    /// Fully transparent colours become one value, because they look alike.
    package init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        (self.red, self.green, self.blue) = alpha == 0 ? (0, 0, 0) : (red, green, blue)
        self.alpha = alpha
    }

    /// Alpha 0; the one fully transparent value.
    package static let transparent = Color(red: 0, green: 0, blue: 0, alpha: 0)
    /// Opaque.
    package static let black = Color(red: 0, green: 0, blue: 0)
    /// Opaque.
    package static let white = Color(red: 255, green: 255, blue: 255)

    /// True for alpha 0.
    package var isTransparent: Bool { alpha == 0 }
    /// True for alpha 255.
    package var isOpaque: Bool { alpha == 255 }

    /// The same colour without its alpha.
    package var opaque: Color { Color(red: red, green: green, blue: blue) }
}

extension Color {
    /// `CCC`, `5CCC` (ARGB), `CCCCCC`, `55CCCCCC` (AARRGGBB) in digits of either case, all with an optional
    /// `#`, or a CSS colour name in either case; nil for anything else.
    package init?(_ text: String) {
        let digits = text.hasPrefix("#") ? String(text.dropFirst()) : text
        let name = digits.lowercased()
        if name == "transparent" {
            self = .transparent
        } else if let rgb = Self.names[name] {
            self.init(argb: 0xFF00_0000 | rgb)
        } else {
            self.init(hexadecimal: Array(digits.utf8))
        }
    }

    private init?(hexadecimal digits: [UInt8]) {
        let values = digits.compactMap(\.hexDigitValue).map(UInt32.init)
        guard values.count == digits.count else { return nil }
        func number(_ values: [UInt32]) -> UInt32 { values.reduce(0) { $0 << 4 | $1 } }
        let doubled = values.flatMap { [$0, $0] }
        switch digits.count {
        case 3: self.init(argb: 0xFF00_0000 | number(doubled))
        case 4: self.init(argb: number(doubled))
        case 6: self.init(argb: 0xFF00_0000 | number(values))
        case 8: self.init(argb: number(values))
        default: return nil
        }
    }

    private init(argb: UInt32) {
        self.init(
            red: UInt8(truncatingIfNeeded: argb >> 16), green: UInt8(truncatingIfNeeded: argb >> 8),
            blue: UInt8(truncatingIfNeeded: argb), alpha: UInt8(truncatingIfNeeded: argb >> 24))
    }

    /// Six digits, or eight with alpha first if the colour is not opaque.
    package var hexadecimal: String {
        let parts = isOpaque ? [red, green, blue] : [alpha, red, green, blue]
        return parts.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
