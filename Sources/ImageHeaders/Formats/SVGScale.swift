// SPDX-License-Identifier: Apache-2.0

/// Whether a drawing grows with what it is drawn in. It does by its `viewBox`, and by both of its sides, which stand for one (SVG 2
/// §8.2). Any other keeps its own size in whatever room it is given.
package enum SVGScale {
    /// True where a style sheet may set the sides, and then they are mostly set.
    package static func isTold(_ source: some HeaderSource) -> Bool {
        var reader = HeaderReader(source)
        guard let start = try? reader.prefix(SVGHeader.reach), let tag = SVGSignature.attributes(of: start)
        else { return false }
        let attributes = SVGHeader.attributes(in: tag)
        let sides = SVGSides(attributes, SVGStyle(attributes["style"] ?? ""))
        let sheets = SVGSheets(tag, id: attributes["id"], classes: attributes["class"])
        let hasViewBox = attributes["viewBox"].flatMap(SVGHeader.viewBox) != nil
        return hasViewBox || sides.width != .automatic && sides.height != .automatic
            || sheets.mayName(["width", "height"])
    }
}
