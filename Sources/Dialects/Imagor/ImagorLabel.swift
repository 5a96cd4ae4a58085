// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes

extension FilterRule {
    /// `label(text,x,y,size,color,alpha,font)`: x and y are as for a watermark, alpha is 0 for opaque letters.
    static let imagorLabel = FilterRule.makes { draft, call throws(OperationRefusal) in
        var text = try ImagorLetters.overlay(draft, call)
        let range = TextOverlay.sizeRange
        guard let size = call.text(3) == nil ? 20 : call.integer(3), range.contains(size) else {
            throw call.refusal("\(range.lowerBound)…\(range.upperBound) as the size")
        }
        text.size = size
        text.color = try ImagorLetters.color(call)
        text.font = call.words(6).map(ImagorLetters.family)
        draft.recipe.text = text
    }

    /// `text(text,x,y,font,color,alpha,blend_mode,width,align,justify,wrap,spacing,dpi)`: the font ends with its size.
    static let imagorText = FilterRule.makes { draft, call throws(OperationRefusal) in
        var text = try ImagorLetters.overlay(draft, call)
        text.color = try ImagorLetters.color(call)
        try ImagorLetters.setFont(of: &text, call)
        try ImagorLetters.setLines(of: &text, call)
        draft.recipe.text = text
    }
}

/// The arguments that `label` and `text` share, and the arguments of `text` about its lines.
private enum ImagorLetters {
    /// The text and its position.
    static func overlay(_ draft: RecipeDraft, _ call: FilterCall) throws(OperationRefusal) -> TextOverlay {
        guard draft.recipe.text == nil else {
            throw .unsupported(what: call.name, reason: "Pictor writes one text over a picture.")
        }
        guard let words = call.words(0), TextOverlay.isWritable(words) else {
            throw call.refusal(
                "a text of 1…\(TextOverlay.longest) characters without controls other than line feeds, x, y, a font and a colour"
            )
        }
        var text = TextOverlay(words)
        let (x, y) = (call.text(1) ?? "0", call.text(2) ?? "0")
        guard x != "repeat", y != "repeat" else {
            throw .unsupported(what: call.name, reason: "Pictor writes a text once.")
        }
        (text.position, text.shift) = try call.place(x, y, .forms)
        return text
    }

    /// The colour in the fifth argument, with the opacity in the sixth.
    static func color(_ call: FilterCall) throws(OperationRefusal) -> Color {
        guard let color = Color(call.text(4) ?? "black") else {
            throw call.refusal("a colour of CSS or RRGGBB")
        }
        guard let alpha = call.text(5) == nil ? 0 : call.number(5), (0...100).contains(alpha) else {
            throw call.refusal("0…100 as the alpha, 0 for opaque letters")
        }
        return Color(
            red: color.red, green: color.green, blue: color.blue,
            // Cannot trap: a number of 0…255.
            alpha: UInt8((Double(color.alpha) * (1 - alpha / 100)).rounded()))
    }

    /// A family's name, in which hyphens stand for spaces.
    static func family(_ words: String) -> String { words.replacing("-", with: " ") }

    /// Reads `sans-bold-24`: a family and a size in points, of which an inch has 72.
    static func setFont(of text: inout TextOverlay, _ call: FilterCall) throws(OperationRefusal) {
        var words = family(call.words(3) ?? "").split(separator: " ")[...]
        var points = 20.0
        if let size = words.last.flatMap({ DecimalText.read(String($0)) }) {
            points = size
            words = words.dropLast()
        }
        text.font = words.isEmpty ? nil : words.joined(separator: " ")
        let dots = call.text(12) == nil ? 72 : call.integer(12) ?? -1
        // Cannot trap: arithmetic of Doubles, with at most a billion dots per inch.
        let pixels = (points * Double(dots == 0 ? 72 : dots) / 72).rounded()
        let range = TextOverlay.sizeRange
        guard dots >= 0, (Double(range.lowerBound)...Double(range.upperBound)).contains(pixels) else {
            throw call.refusal(
                "a font that ends with its size, as sans-24, and a dpi, that make \(range.lowerBound)…\(range.upperBound) pixels"
            )
        }
        text.size = Int(pixels)
    }

    static func setLines(of text: inout TextOverlay, _ call: FilterCall) throws(OperationRefusal) {
        if let mode = call.text(6), mode.lowercased() != "normal" {
            throw .unsupported(
                what: "text",
                reason: "Pictor writes letters over the picture, and blends them in no other mode.")
        }
        text.width = try width(call)
        text.alignment =
            switch call.text(8)?.lowercased() {
            case "centre", "center": .center
            case "high", "right": .right
            default: .left
            }
        if call.flag(9) == true { throw .unsupported(what: "text", reason: "Pictor justifies no lines.") }
        if let wrap = call.text(10)?.lowercased(), ["char", "none"].contains(wrap) {
            throw .unsupported(
                what: "text", reason: "Pictor breaks lines between words, and words that are too long.")
        }
        if let spacing = call.text(11), spacing != "0" {
            throw .unsupported(what: "text", reason: "Pictor sets lines as far apart as the font has it.")
        }
    }

    /// The width of lines: `300` pixels, `80p` percent, `0.8` of the picture's width, `f` and `full` for all of it; nil for 0.
    private static func width(_ call: FilterCall) throws(OperationRefusal) -> Recipe.Length? {
        guard let text = call.text(7), text != "0" else { return nil }
        if ["f", "full"].contains(text) { return .percent(100) }
        if text.hasPrefix("f-") || text.hasPrefix("full-") {
            throw .unsupported(
                what: "text", reason: "Pictor's width of lines is in pixels or a part of the picture's.")
        }
        if let pixels = call.integer(7), Recipe.Length.pixelRange.contains(pixels) { return .pixels(pixels) }
        let part =
            text.hasSuffix("p") ? DecimalText.read(String(text.dropLast())) : call.number(7).map { $0 * 100 }
        guard let part, text.hasSuffix("p") || text.contains("."), (0.01...100).contains(part) else {
            throw call.refusal(
                "as the width 0, \(Recipe.Length.pixelRange.lowerBound)…\(Recipe.Length.pixelRange.upperBound) pixels, 0.01p…100p percent, a fraction below 1, f or full"
            )
        }
        return .percent(DecimalText.quantised(part))
    }
}

extension FilterCall {
    /// An argument with text: `+` stands for a space, or it is `b64:` and base64url. Nil without the argument, and for invalid UTF-8.
    fileprivate func words(_ index: Int) -> String? {
        guard sent.indices.contains(index), !sent[index].isEmpty else { return nil }
        let decoded = FormText.decode(sent[index])
        guard decoded.starts(with: "b64:".utf8),
            let bytes = Base64URL.decode(String(decoding: decoded.dropFirst(4), as: UTF8.self))
        else { return String(validating: decoded, as: UTF8.self) }
        return String(validating: bytes, as: UTF8.self)
    }
}
