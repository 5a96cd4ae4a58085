// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// The request fields with hints about a client's screen and connection (RFC 8942, "Responsive Image Client Hints", "Save Data"). For
/// the first three hints, the older field counts if the newer one is absent or malformed.
package enum HintField: String, Sendable, CaseIterable {
    case width = "Sec-CH-Width"
    case olderWidth = "Width"
    case viewportWidth = "Sec-CH-Viewport-Width"
    case olderViewportWidth = "Viewport-Width"
    case pixelRatio = "Sec-CH-DPR"
    case olderPixelRatio = "DPR"
    case saveData = "Save-Data"
}

/// The client hints of a request. Values that are malformed, or larger than any screen, count as absent.
package struct ClientHints: Sendable, Hashable {
    /// The width of the picture on the page in pixels of the screen, 1…999,999; nil if not sent.
    package var width: Int?
    /// The width of the page in CSS pixels, 1…999,999; nil if not sent.
    package var viewportWidth: Int?
    /// Screen pixels per CSS pixel, 0.1…8; nil if not sent.
    package var pixelRatio: Double?
    /// True if the client wants fewer bytes.
    package var savesData = false

    /// Hints of a client that sends none.
    package init() {}

    /// - Parameter value: returns a field's value, several lines joined by commas, which then is no number.
    package init(_ value: (HintField) -> String?) {
        width = Self.whole(value(.width)) ?? Self.whole(value(.olderWidth))
        viewportWidth = Self.whole(value(.viewportWidth)) ?? Self.whole(value(.olderViewportWidth))
        pixelRatio = Self.ratio(value(.pixelRatio)) ?? Self.ratio(value(.olderPixelRatio))
        savesData = Self.isOn(value(.saveData))
    }

    /// Reads an Integer (RFC 9651 §3.3.1) above 0; nil for other text.
    private static func whole(_ text: String?) -> Int? {
        guard let item = text.map(bare), (1...6).contains(item.utf8.count),
            item.utf8.allSatisfy(\.isASCIIDigit)
        else { return nil }
        return Int(item).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Reads a Decimal or an Integer. Accepts more digits after the point than the three of RFC 9651 §3.3.2, because Chrome's ratios
    /// are binary fractions: 1.100000023841858.
    private static func ratio(_ text: String?) -> Double? {
        guard let item = text.map(bare), item.utf8.count <= 20 else { return nil }
        let parts = item.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIDigit) }),
            let ratio = Double(item), (0.1...8).contains(ratio)
        else { return nil }
        return ratio
    }

    /// True for a list that has the word `on`.
    private static func isOn(_ text: String?) -> Bool {
        (text ?? "").split(separator: ",").contains { Fields.same(String(bare(String($0))), "on") }
    }

    /// An item without its parameters and the white space around it.
    private static func bare(_ text: String) -> Substring {
        // Works on bytes, because removing the last character of a string takes a walk over all of it.
        let item = text.utf8.prefix { $0 != UInt8(ascii: ";") }
        guard let first = item.firstIndex(where: isNoSpace), let last = item.lastIndex(where: isNoSpace)
        else { return "" }
        return Substring(item[first...last])
    }

    private static func isNoSpace(_ byte: UInt8) -> Bool { byte != UInt8(ascii: " ") }
}
