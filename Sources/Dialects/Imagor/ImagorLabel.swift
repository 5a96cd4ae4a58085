// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes

extension FilterRule {
    /// `label(text,x,y,size,color,alpha,font)`: x and y are those of a watermark, alpha is 0 for opaque letters.
    static let imagorLabel = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard draft.recipe.text == nil else {
            throw .unsupported(what: "label", reason: "Pictor writes one text over a picture.")
        }
        guard let words = call.text(0), TextOverlay.isWritable(words) else {
            throw call.refusal("a text of 1…\(TextOverlay.longest) characters, x, y, a size and a colour")
        }
        var text = TextOverlay(words)
        let (x, y) = (call.text(1) ?? "0", call.text(2) ?? "0")
        guard x != "repeat", y != "repeat", case (.at(let position), let shift) = try call.place(x, y) else {
            throw .unsupported(what: "label", reason: "Pictor writes a text once.")
        }
        (text.position, text.shift) = (position, shift)
        let range = TextOverlay.sizeRange
        guard let size = call.text(3) == nil ? 20 : call.integer(3), range.contains(size) else {
            throw call.refusal("\(range.lowerBound)…\(range.upperBound) as the size")
        }
        guard let color = Color(call.text(4) ?? "black") else {
            throw call.refusal("a colour of CSS or RRGGBB")
        }
        guard let alpha = call.text(5) == nil ? 0 : call.number(5), (0...100).contains(alpha) else {
            throw call.refusal("0…100 as the alpha, 0 for opaque letters")
        }
        text.color = Color(
            red: color.red, green: color.green, blue: color.blue,
            // Cannot trap: a number of 0…255.
            alpha: UInt8((Double(color.alpha) * (1 - alpha / 100)).rounded()))
        text.size = size
        text.font = call.text(6)
        draft.recipe.text = text
    }
}
