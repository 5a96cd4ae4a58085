// SPDX-License-Identifier: Apache-2.0

/// The natural size of a drawing by `width`, `height` and `viewBox` of its root element (SVG 2 §8) and by the element's
/// own style, as librsvg computes it at 72 pixels an inch. The size is 0 × 0 if none is given or a style sheet may set it,
/// because only the decoder can tell it then.
enum SVGHeader {
    /// The number of bytes within which the root element's tag must end. Style sheets beyond them are
    /// ignored.
    private static let reach = 64 * 1_024

    static func parse(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ImageHeader {
        let start = try reader.prefix(reach)
        var header = ImageHeader(format: .svg, width: 0, height: 0, hasAlpha: true)
        guard let tag = SVGSignature.attributes(of: start),
            let (width, height) = try size(attributes(in: tag), tag)
        else { return header }
        header.width = width
        header.height = height
        return header
    }

    /// See `SVGScale.isFixed`.
    static func isFixed(_ reader: inout HeaderReader) throws(ImageHeaderError) -> Bool {
        guard let tag = SVGSignature.attributes(of: try reader.prefix(reach)) else { return false }
        let attributes = attributes(in: tag)
        let sides = SVGSides(attributes, SVGStyle(attributes["style"] ?? ""))
        let sheets = SVGSheets(tag, id: attributes["id"], classes: attributes["class"])
        guard attributes["viewBox"] == nil, !sheets.mayName(["width", "height"]) else { return false }
        return sides.width == .automatic || sides.height == .automatic
    }

    /// Nil if neither a side nor a ratio is given, or if only the decoder can tell the size.
    /// - Throws: `damaged` if a side has no pixel: a zero disables rendering (SVG 2 §8.2), and libvips draws no such side.
    private static func size(
        _ attributes: [String: String], _ document: ArraySlice<UInt8>
    ) throws(ImageHeaderError) -> (Int, Int)? {
        let style = SVGStyle(attributes["style"] ?? "")
        let sides = SVGSides(attributes, style)
        let sheets = SVGSheets(document, id: attributes["id"], classes: attributes["class"])
        guard !sheets.mayName(["width", "height"]) else { return nil }
        if sides.dependOnFont, sheets.mayName(["font", "font-size"]) { return nil }
        guard sides.width != .unknown, sides.height != .unknown else { return nil }
        // Beside a side in pixels librsvg takes a zero as it is; beside any other, as missing.
        if sides.areBothPixels, sides.width.pixels == nil || sides.height.pixels == nil { throw .damaged }
        let view = attributes["viewBox"].flatMap(viewBox)
        let size: (width: Double, height: Double)? =
            switch (sides.width.pixels, sides.height.pixels, view) {
            case (let width?, let height?, _): (width, height)
            // Cannot trap: floating-point arithmetic. An infinity is clamped below.
            case (let width?, nil, let view?): (width, width * view.height / view.width)
            // Cannot trap: as above.
            case (nil, let height?, let view?): (height * view.width / view.height, height)
            case (nil, nil, let view?): view
            default: nil
            }
        guard let size else { return nil }
        guard let width = pixels(size.width), let height = pixels(size.height) else { return nil }
        guard width > 0, height > 0 else { throw .damaged }
        return (width, height)
    }

    /// The sides of a `viewBox`; nil for one that is invalid or empty.
    private static func viewBox(_ text: String) -> (width: Double, height: Double)? {
        let box = text.split { $0 == "," || $0.isWhitespace }.map { Double($0) ?? .nan }
        guard box.count == 4, box.allSatisfy(\.isFinite), box[2] > 0, box[3] > 0 else { return nil }
        return (box[2], box[3])
    }

    /// Whole pixels; nil for NaN, such as a ratio of infinite sides. Too large a size is clamped, and the limits refuse it later.
    private static func pixels(_ length: Double) -> Int? {
        guard !length.isNaN else { return nil }
        return Int(exactly: min(max(length.rounded(), 0), Double(ImageHeader.longestSide)))
    }

    /// The tag's attributes by name; the first malformed one ends the list.
    private static func attributes(in tag: ArraySlice<UInt8>) -> [String: String] {
        var (found, rest): ([String: String], ArraySlice<UInt8>) = ([:], tag)
        while true {
            rest = rest.drop { $0 <= 0x20 }
            let name = rest.prefix { $0 > 0x20 && !"=>/".utf8.contains($0) }
            rest = rest[name.endIndex...].drop { $0 <= 0x20 }
            guard !name.isEmpty, rest.first == UInt8(ascii: "=") else { return found }
            rest = rest.dropFirst().drop { $0 <= 0x20 }
            guard let quote = rest.first, quote == 0x22 || quote == 0x27 else { return found }
            let value = rest.dropFirst().prefix { $0 != quote }
            rest = rest[value.endIndex...].dropFirst()
            found[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
        }
    }
}
