// SPDX-License-Identifier: Apache-2.0

internal import JSON

/// Fits text from outside into the cells of a terminal: nothing in the result moves the cursor, and its width is known.
package enum CellText {
    /// Escapes invisible characters, and cuts or pads the text to `width` cells. A text that is cut ends with `…`.
    package static func fitted(_ text: String, _ width: Int) -> String {
        let cut = cut(text, width)
        return cut + String(repeating: " ", count: max(width - cells(cut), 0))
    }

    /// Pads the text on the left to `width` cells.
    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(width - cells(text), 0)) + text
    }

    /// Escapes invisible characters, and cuts the text to at most `width` cells.
    package static func cut(_ text: String, _ width: Int) -> String {
        guard width > 0 else { return "" }
        // A cell has one character and a few combining marks, so the rest of a long text need not be examined.
        let text = LogText.visible(
            String(String.UnicodeScalarView(text.unicodeScalars.prefix(width * 4 + 64))))
        guard cells(text) > width else { return text }
        var (result, used) = ("", 0)
        for scalar in text.unicodeScalars {
            used += cells(scalar)
            if used > width - 1 { break }
            result.unicodeScalars.append(scalar)
        }
        return result + "…"
    }

    /// The number of cells that the text needs.
    package static func cells(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + cells($1) } }

    /// Two for East Asian wide characters (Unicode's annex 11) and emoji, none for combining marks.
    private static func cells(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23F3, 0x25FD...0x25FE, 0x2614...0x2615,
        0x2648...0x2653, 0x267F...0x267F, 0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE,
        0x26C4...0x26C5, 0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F5, 0x26FA...0x26FD,
        0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728, 0x274C...0x274E, 0x2753...0x2757, 0x2795...0x2797,
        0x27B0...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B55, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F004...0x1F004, 0x1F0CF...0x1F0CF,
        0x1F18E...0x1F19A, 0x1F1E6...0x1F202, 0x1F210...0x1F265, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
        0x1F7E0...0x1F7F0, 0x1F90C...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
