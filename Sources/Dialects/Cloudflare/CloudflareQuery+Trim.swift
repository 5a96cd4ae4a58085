// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes

/// The margins that are cut off the original before anything else.
extension CloudflareQuery {
    func readCut(_ recipe: inout Recipe) throws(CloudflareRefusal) {
        let sides = try trimmedSides(recipe.pixelRatio)
        if try readBorder(&recipe) {
            guard sides.isEmpty else { throw .repeated(name: "trim") }
            return
        }
        guard !sides.isEmpty else { return }
        var crop = Crop()
        crop.beforeResize = true
        (crop.x, crop.width) = try span(sides, "left", "right", "width")
        (crop.y, crop.height) = try span(sides, "top", "bottom", "height")
        recipe.crop = crop
    }

    /// Returns true if a border must be trimmed.
    private func readBorder(_ recipe: inout Recipe) throws(CloudflareRefusal) -> Bool {
        let parts = given.keys.filter { $0.hasPrefix("trim.border.") }
        guard given["trim"] == "border" || !parts.isEmpty else { return false }
        guard given["trim"] == "border" || given["trim"] == nil else { throw .repeated(name: "trim") }
        if let keep = try number("trim.border.keep", 0...65_535), keep > 0 {
            throw .unsupported(option: "trim.border.keep", reason: "Pictor trims the whole border.")
        }
        var trim = Trim(color: try colour("trim.border.color")?.opaque)
        if let tolerance = try number("trim.border.tolerance", 0...255) {
            // Cannot trap: a number of 0…255. The ends would match everything and nothing, so the nearest thresholds that are allowed
            // replace them.
            trim.threshold = min(max(Int(tolerance.rounded()), 1), 254)
        }
        recipe.trim = trim
        return true
    }

    /// The lengths by side, from `trim=top;right;bottom;left` and from `trim.top` and so on.
    private func trimmedSides(_ ratio: Double) throws(CloudflareRefusal) -> [String: Recipe.Length] {
        var sides: [String: Recipe.Length] = [:]
        for name in ["top", "right", "bottom", "left", "width", "height"] {
            guard let text = given["trim.\(name)"] else { continue }
            guard let length = Self.length(text, ratio) else { throw refusal("trim.\(name)", Self.lengths) }
            sides[name] = length
        }
        guard let list = given["trim"], list != "border" else { return sides }
        let parts = list.split(separator: ";", omittingEmptySubsequences: false)
        let lengths = parts.compactMap { Self.length(String($0), ratio) }
        guard parts.count == 4, lengths.count == 4 else {
            throw refusal("trim", "`border`, or top;right;bottom;left, each of \(Self.lengths)")
        }
        for (name, length) in zip(["top", "right", "bottom", "left"], lengths) {
            guard sides.updateValue(length, forKey: name) == nil else {
                throw .repeated(name: "trim.\(name)")
            }
        }
        return sides
    }

    private static let lengths = "0…65535 pixels, or a fraction below 1 with its point"

    /// A length: pixels are multiplied by `dpr`; a fraction is one of the original's side.
    private static func length(_ text: String, _ ratio: Double) -> Recipe.Length? {
        guard let number = DecimalText.read(text), number >= 0 else { return nil }
        if text.contains(".") { return number < 1 ? .percent(DecimalText.quantised(number * 100)) : nil }
        let pixels = (number * ratio).rounded()
        // Cannot trap: the product is within the range of pixels.
        return pixels <= Double(Crop.pixelRange.upperBound) ? .pixels(Int(pixels)) : nil
    }

    /// Where the rectangle begins on an axis, and how long it is; a negative length ends that far before the far edge.
    private func span(
        _ sides: [String: Recipe.Length], _ near: String, _ far: String, _ whole: String
    ) throws(CloudflareRefusal) -> (Recipe.Length?, Recipe.Length?) {
        let start = sides[near]
        let nothing: [Recipe.Length?] = [.pixels(0), .percent(0)]
        if let length = sides[whole], !nothing.contains(length) {
            guard nothing.contains(sides[far] ?? .pixels(0)) else { throw .repeated(name: "trim.\(whole)") }
            return (start, length)
        }
        switch (start ?? .pixels(0), sides[far] ?? .pixels(0)) {
        case (_, .pixels(0)), (_, .percent(0)): return (start, nil)
        case (_, .pixels(let pixels)): return (start, .pixels(-pixels))
        case (.pixels(0), .percent(let cut)), (.percent(0), .percent(let cut)):
            return (nil, .percent(DecimalText.quantised(100 - cut)))
        case (.percent(let skipped), .percent(let cut)):
            let rest = DecimalText.quantised(100 - skipped - cut)
            guard rest >= 0.01 else { throw refusal("trim", "what leaves something of the picture") }
            return (start, .percent(rest))
        case (.pixels, .percent):
            throw .unsupported(
                option: "trim", reason: "Pixels at one side and a fraction at the other cannot be cut off.")
        }
    }
}
