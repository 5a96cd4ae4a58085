// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes

/// The border around the result. Workers write it as an object; here its members are options with a dot, like the members of `trim`.
extension CloudflareQuery {
    func readFrame(_ recipe: inout Recipe) throws(CloudflareRefusal) {
        guard given["border"] == nil || given["border.width"] == nil else { throw .repeated(name: "border") }
        let all = try margin("border.width", or: margin("border", or: 0))
        let sides = Clockwise(
            try margin("border.top", or: all), try margin("border.right", or: all),
            try margin("border.bottom", or: all), try margin("border.left", or: all))
        let colour = try colour("border.color")
        guard sides != Clockwise(0) else { return }
        recipe.padding = Padding(sides, background: colour ?? Self.borderColour)
    }

    /// The default colour, which is that of text in CSS.
    private static let borderColour = Color(red: 0, green: 0, blue: 0)

    /// A width in pixels, which `dpr` multiplies.
    private func margin(_ name: String, or usual: Int) throws(CloudflareRefusal) -> Int {
        guard let text = given[name] else { return usual }
        let range = Clockwise.pixelRange
        guard text.utf8.allSatisfy(\.isASCIIDigit), let pixels = Int(text), range.contains(pixels) else {
            throw refusal(name, "\(range.lowerBound)…\(range.upperBound) pixels")
        }
        return pixels
    }
}
