// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// The request fields that hint at a client's screen and line (RFC 8942, "Responsive Image Client Hints", "Save Data").
/// The older name of the first three hints counts where the newer one is absent or malformed.
package enum HintField: String, Sendable, CaseIterable {
    case width = "Sec-CH-Width"
    case olderWidth = "Width"
    case viewportWidth = "Sec-CH-Viewport-Width"
    case olderViewportWidth = "Viewport-Width"
    case pixelRatio = "Sec-CH-DPR"
    case olderPixelRatio = "DPR"
    case saveData = "Save-Data"
}

/// The client hints of a request. Values that are malformed or beyond all screens count as absent.
package struct ClientHints: Sendable, Hashable {
    /// Pixels of the screen that the picture will occupy across, 1…999,999; nil = not told.
    package var width: Int?
    /// CSS pixels that the page is wide, 1…999,999.
    package var viewportWidth: Int?
    /// Pixels of the screen in a CSS pixel, 0.1…8.
    package var pixelRatio: Double?
    /// The client wants fewer bytes.
    package var savesData = false

    /// Hints of a client that sends none.
    package init() {}

    /// - Parameter value: the field's value; of several lines all of them with commas between, which is no number.
    package init(_ value: (HintField) -> String?) {
        width = Self.whole(value(.width)) ?? Self.whole(value(.olderWidth))
        viewportWidth = Self.whole(value(.viewportWidth)) ?? Self.whole(value(.olderViewportWidth))
        pixelRatio = Self.ratio(value(.pixelRatio)) ?? Self.ratio(value(.olderPixelRatio))
        savesData = Self.isOn(value(.saveData))
    }

    /// An Integer (RFC 9651 §3.3.1) above 0.
    private static func whole(_ text: String?) -> Int? {
        guard let item = text.map(bare), (1...6).contains(item.utf8.count),
            item.utf8.allSatisfy(\.isASCIIDigit)
        else { return nil }
        return Int(item).flatMap { $0 > 0 ? $0 : nil }
    }

    /// A Decimal or an Integer. Chrome sends more than the three digits behind the point of RFC 9651 §3.3.2, because
    /// its ratios are binary fractions: 1.100000023841858.
    private static func ratio(_ text: String?) -> Double? {
        guard let item = text.map(bare), item.utf8.count <= 20 else { return nil }
        let parts = item.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIDigit) }),
            let ratio = Double(item), (0.1...8).contains(ratio)
        else { return nil }
        return ratio
    }

    /// A list with the word `on` in it.
    private static func isOn(_ text: String?) -> Bool {
        (text ?? "").split(separator: ",").contains { Fields.same(String(bare(String($0))), "on") }
    }

    /// An item without its parameters and the space around it.
    private static func bare(_ text: String) -> Substring {
        // Bytes: to drop the last letter of a text takes a walk over all of it.
        let item = text.utf8.prefix { $0 != UInt8(ascii: ";") }
        guard let first = item.firstIndex(where: isNoSpace), let last = item.lastIndex(where: isNoSpace)
        else { return "" }
        return Substring(item[first...last])
    }

    private static func isNoSpace(_ byte: UInt8) -> Bool { byte != UInt8(ascii: " ") }
}
