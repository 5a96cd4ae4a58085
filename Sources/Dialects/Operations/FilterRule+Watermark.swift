// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes
internal import SourceURLs

extension FilterRule {
    /// `watermark(image,x,y,alpha,w_ratio,h_ratio)`: alpha is 0 for an opaque one, the ratios are percent of the picture's
    /// sides.
    static let watermark = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard draft.recipe.watermark == nil else {
            throw .unsupported(what: "watermark", reason: "Pictor lays one over a picture.")
        }
        guard let name = call.text(0) else {
            throw call.refusal("a picture, x, y, an alpha of 0…100, and ratios in percent")
        }
        var watermark = Watermark(source: try draft.sources.url(named: name).absolute)
        watermark.position = try call.watermarkPosition
        if call.arguments.count > 3 {
            guard let alpha = call.number(3), (0...100).contains(alpha) else {
                throw call.refusal("0…100 as the alpha, 0 for an opaque watermark")
            }
            watermark.opacity = DecimalText.quantised(1 - alpha / 100)
        }
        watermark.scale = try call.watermarkScale
        draft.recipe.watermark = watermark
    }
}

extension FilterCall {
    /// Corners, sides and the middle, or repeated over the whole.
    fileprivate var watermarkPosition: Watermark.Position {
        get throws(OperationRefusal) {
            let (x, y) = (text(1) ?? "0", text(2) ?? "0")
            if x == "repeat", y == "repeat" { return .tile }
            let across = ["0": 0, "0p": 0, "left": 0, "l": 0, "center": 1, "right": 2, "r": 2, "-0": 2][x]
            let down = ["0": 0, "0p": 0, "top": 0, "t": 0, "center": 1, "bottom": 2, "b": 2, "-0": 2][y]
            guard let across, let down else {
                throw .unsupported(
                    what: "watermark",
                    reason:
                        "Pictor puts it into the middle, a corner or at a side (0, left, center, right, top, bottom), or repeats it both ways."
                )
            }
            return .at(Self.places[down * 3 + across])
        }
    }

    private static let places: [Recipe.Alignment] = [
        .topLeft, .top, .topRight, .left, .center, .right, .bottomLeft, .bottom, .bottomRight,
    ]

    fileprivate var watermarkScale: Double? {
        get throws(OperationRefusal) {
            let ratios = [4, 5].map { text($0).flatMap { $0 == "none" ? nil : $0 } }
            if ratios[1] != nil {
                throw .unsupported(
                    what: "watermark", reason: "Pictor takes its width alone as a part of the picture's.")
            }
            guard ratios[0] != nil else { return nil }
            guard let percent = number(4), (1...100).contains(percent) else {
                throw refusal("1…100 percent as the ratio of the width, or none")
            }
            return DecimalText.quantised(percent / 100)
        }
    }
}
