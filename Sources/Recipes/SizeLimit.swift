// SPDX-License-Identifier: Apache-2.0

/// The largest width and height in pixels that a URL may request.
///
/// A larger box is reduced in its shape, so all URLs that ask for too much share the largest allowed picture.
package struct SizeLimit: Sendable, Hashable {
    fileprivate let width: Int
    fileprivate let height: Int

    /// The limit of the lengths' own range.
    package static let none = SizeLimit(
        width: Recipe.Length.pixelRange.upperBound, height: Recipe.Length.pixelRange.upperBound)

    /// In pixels; above 0.
    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// The canonical recipe with its box within the limit. Lengths in pixels of the result shrink with the box. Percentages of
    /// the original stay as they are, because its size is not known yet.
    package func bounding(_ recipe: Recipe) -> Recipe {
        var bounded = recipe.canonicalised
        bounded.leastWidth = bounded.leastWidth.map { min($0, width) }
        bounded.leastHeight = bounded.leastHeight.map { min($0, height) }
        let factor = min(Self.factor(bounded.width, width), Self.factor(bounded.height, height))
        if factor < 1 {
            bounded.scaleBox(by: factor)
            bounded.scaleEdges(by: factor)
            bounded.scaleCrop(by: factor)
        }
        bounded.boundOtherSide(by: self)
        return bounded.canonicalised
    }

    private static func factor(_ length: Recipe.Length?, _ most: Int) -> Double {
        guard case .pixels(let pixels)? = length, pixels > most else { return 1 }
        // Cannot trap: floating-point arithmetic, and the pixels are above 0.
        return Double(most) / Double(pixels)
    }
}

extension Recipe {
    /// Adds the box side that would follow from the ratio, so that it is within the limit as well.
    fileprivate mutating func boundOtherSide(by limit: SizeLimit) {
        guard fit == .inside, aspect == nil, !turnsBox else { return }
        let most = Length.pixelRange.upperBound
        switch (width, height) {
        case (_?, nil) where limit.height < most: height = .pixels(limit.height)
        case (nil, _?) where limit.width < most: width = .pixels(limit.width)
        default: break
        }
    }
}
