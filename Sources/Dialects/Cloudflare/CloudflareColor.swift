// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes

/// Colours as CSS writes them. `#RGBA` and `#RRGGBBAA` have their alpha last, while colours of the option table have it first.
enum CloudflareColor {
    static let words = "a name of CSS, `%23RRGGBB`, `%23RRGGBBAA`, `rgb(…)` or `rgba(…)`"

    /// Reads a colour; nil if the text is none.
    static func read(_ text: String) -> Color? {
        let text = text.lowercased()
        if text.hasPrefix("rgb") { return function(text) }
        guard text.hasPrefix("#") else {
            // The name of a colour. Hexadecimal digits without `#` are refused.
            return text.utf8.allSatisfy(\.isASCIILetter) && !isHexadecimal(text) ? Color(text) : nil
        }
        let digits = text.dropFirst()
        let alpha = digits.count == 4 ? 1 : digits.count == 8 ? 2 : 0
        return Color("#" + digits.suffix(alpha) + digits.dropLast(alpha))
    }

    private static func isHexadecimal(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0.hexDigitValue != nil }
    }

    /// Reads `rgb(r g b / a)` and `rgba(r, g, b, a)`: numbers of 0…255 or percentages, and alpha as a number of 0…1 or a percentage.
    private static func function(_ text: String) -> Color? {
        let start = text.hasPrefix("rgba(") ? 5 : 4
        guard text.hasPrefix("rgba(") || text.hasPrefix("rgb("), text.hasSuffix(")") else { return nil }
        let parts = text.dropFirst(start).dropLast().split { ", /".contains($0) }.map(String.init)
        guard parts.count == 3 || parts.count == 4 else { return nil }
        let levels = parts.prefix(3).compactMap { level($0, whole: 255) }
        let alpha = parts.count == 4 ? level(parts[3], whole: 1) : 255
        guard levels.count == 3, let alpha else { return nil }
        return Color(red: levels[0], green: levels[1], blue: levels[2], alpha: alpha)
    }

    /// A level out of 255, clamped to the range as in CSS.
    private static func level(_ text: String, whole: Double) -> UInt8? {
        let isPercent = text.hasSuffix("%")
        guard let number = DecimalText.read(isPercent ? String(text.dropLast()) : text) else { return nil }
        let part = min(max(number / (isPercent ? 100 : whole), 0), 1)
        // Cannot trap: `part` is 0…1.
        return UInt8((part * 255).rounded())
    }
}
