// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// The names that the settings may give to what a URL then names: presets, watermarks and font families.
package enum ConfiguredName {
    /// True if a preset or a watermark may have this name.
    package static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(\.isNameByte)
    }

    /// True if a font family may have this name.
    package static func isFontFamily(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isNameByte || $0 == UInt8(ascii: " ") }
            && text.utf8.first != UInt8(ascii: " ") && text.utf8.last != UInt8(ascii: " ")
    }
}
