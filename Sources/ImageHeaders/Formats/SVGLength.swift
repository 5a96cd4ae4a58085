// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// A length on a drawing's root element (CSS Values 3 §4–6), in the units that librsvg supports.
enum SVGLength: Equatable {
    case pixels(Double)
    /// `auto`, or a percentage, because there is no window that it could refer to.
    case automatic
    /// Only the decoder can tell the length.
    case unknown

    /// librsvg's default font size in pixels.
    static let usualEm = 12.0

    /// Nil if the length is automatic, unknown or not above zero.
    var pixels: Double? {
        guard case .pixels(let length) = self, length > 0 else { return nil }
        return length
    }

    /// Nil for text that is no length: such an attribute counts as missing, and such a declaration is ignored.
    /// - Parameter em: the font size in pixels; nil if it is unknown.
    init?(_ text: some StringProtocol, em: Double?) {
        let text = text.trimmed
        // A character reference may stand for any character.
        guard !text.contains("&") else {
            self = .unknown
            return
        }
        guard !["auto", "inherit", "initial", "unset"].contains(text.lowercased()) else {
            self = .automatic
            return
        }
        let number = Self.number(Array(text.utf8))
        let unit = text.utf8.dropFirst(number.count)
        guard let value = Double(String(decoding: number, as: UTF8.self)), value >= 0, value.isFinite,
            let length = Self.length(value, String(decoding: unit, as: UTF8.self).lowercased(), em)
        else { return nil }
        self = length
    }

    private static func length(_ value: Double, _ unit: String, _ em: Double?) -> SVGLength? {
        if let pixels = units[unit] { return .pixels(value * pixels) }
        return switch unit {
        case "%": .automatic
        case "em": em.map { .pixels(value * $0) } ?? .unknown
        case "ex": em.map { .pixels(value * $0 / 2) } ?? .unknown
        // librsvg supports the unit from 2.60 on.
        case "ch": .unknown
        default: nil
        }
    }

    /// librsvg does not support the CSS unit `Q`.
    private static let units: [String: Double] = [
        "": 1, "px": 1, "pt": 1, "pc": 12, "in": 72, "cm": 72 / 2.54, "mm": 72 / 25.4,
    ]

    /// The number at the beginning of a text (CSS Syntax 3 §4.3.12). An e may belong to an exponent or to a unit: 2em.
    private static func number(_ text: [UInt8]) -> ArraySlice<UInt8> {
        var end = text.first.map { "+-".utf8.contains($0) ? 1 : 0 } ?? 0
        func digits(from start: Int) -> Int { text.dropFirst(start).prefix(while: \.isASCIIDigit).endIndex }
        end = digits(from: end)
        if end + 1 < text.count, text[end] == UInt8(ascii: "."), text[end + 1].isASCIIDigit {
            end = digits(from: end + 1)
        }
        if end < text.count, text[end].asciiLowercased == UInt8(ascii: "e") {
            let sign = end + 1 < text.count && "+-".utf8.contains(text[end + 1]) ? 1 : 0
            let last = digits(from: min(end + 1 + sign, text.count))
            if last > end + 1 + sign { end = last }
        }
        return text[..<end]
    }
}

/// The sides of the root element.
struct SVGSides {
    let width: SVGLength
    let height: SVGLength
    /// True if a side is given in units of the font.
    let dependOnFont: Bool

    /// True if both sides are lengths, also of zero.
    var areBothPixels: Bool {
        if case .pixels = width, case .pixels = height { true } else { false }
    }

    /// Declarations in the style take precedence over attributes (CSS Cascade 4 §6.2).
    init(_ attributes: [String: String], _ style: SVGStyle) {
        let em = Self.em(attributes, style)
        func side(_ name: String, em: Double?) -> SVGLength {
            style.last(name) { SVGLength($0, em: em) }
                ?? attributes[name].flatMap { SVGLength($0, em: em) } ?? .automatic
        }
        width = side("width", em: em)
        height = side("height", em: em)
        dependOnFont = side("width", em: nil) == .unknown || side("height", em: nil) == .unknown
    }

    /// The font size in pixels; nil if it is given in words, or by the shorthand `font`.
    private static func em(_ attributes: [String: String], _ style: SVGStyle) -> Double? {
        guard style.last("font", { $0 }) == nil, attributes["font"] == nil else { return nil }
        guard let size = style.last("font-size", { String($0) }) ?? attributes["font-size"] else {
            return SVGLength.usualEm
        }
        return SVGLength(size, em: SVGLength.usualEm)?.pixels
    }
}

extension StringProtocol {
    /// The text without the space around it.
    var trimmed: SubSequence {
        var rest = self.drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest = rest.dropLast() }
        return rest
    }
}
