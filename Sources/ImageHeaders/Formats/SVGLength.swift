// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// A length of a drawing's root element (CSS Values 3 §4–6), with the units that librsvg takes.
enum SVGLength: Equatable {
    case pixels(Double)
    /// `auto`, or a percentage of a window that there is not.
    case automatic
    /// Only the decoder can tell.
    case unknown

    /// The em where a drawing sets none, in pixels: librsvg's.
    static let usualEm = 12.0

    /// Nil where it is automatic or unknown. What is not above zero shows nothing.
    var pixels: Double? {
        guard case .pixels(let length) = self, length > 0 else { return nil }
        return length
    }

    /// Nil for a text that is no length: an attribute counts as not set then, and a declaration is passed over.
    /// - Parameter em: the font's size in pixels; nil if it is unknown.
    init?(_ text: some StringProtocol, em: Double?) {
        let text = text.trimmed
        // A character reference may stand for any digit.
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
        // librsvg takes it since 2.60.
        case "ch": .unknown
        default: nil
        }
    }

    /// `Q` of CSS is not among those of librsvg.
    private static let units: [String: Double] = [
        "": 1, "px": 1, "pt": 1, "pc": 12, "in": 72, "cm": 72 / 2.54, "mm": 72 / 25.4,
    ]

    /// The number that a text begins with (CSS Syntax 3 §4.3.12). The exponent's letter may be the first of a unit: 2em.
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

/// The sides that a root element states.
struct SVGSides {
    let width: SVGLength
    let height: SVGLength
    /// A side is told in units of the font.
    let dependOnFont: Bool

    /// What the style declares comes before attributes (CSS Cascade 4 §6.2).
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

    /// Nil if it is told by words, or by all of a font at once.
    private static func em(_ attributes: [String: String], _ style: SVGStyle) -> Double? {
        guard style.last("font", { $0 }) == nil, attributes["font"] == nil else { return nil }
        guard let size = style.last("font-size", { String($0) }) ?? attributes["font-size"] else {
            return SVGLength.usualEm
        }
        return SVGLength(size, em: SVGLength.usualEm)?.pixels
    }
}

extension StringProtocol {
    /// Without the space around it.
    var trimmed: SubSequence {
        var rest = self.drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest = rest.dropLast() }
        return rest
    }
}
