// SPDX-License-Identifier: Apache-2.0

/// The most pixels that a width and a height may have which a URL asks for.
///
/// A larger box is made smaller, in its shape, so that all URLs that ask for too much share the largest picture that is made.
package struct SizeLimit: Sendable, Hashable {
    fileprivate let width: Int
    fileprivate let height: Int

    /// All that may be asked for.
    package static let none = SizeLimit(
        width: Recipe.Length.pixelRange.upperBound, height: Recipe.Length.pixelRange.upperBound)

    /// Pixels; above 0.
    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// The folded recipe, with a box within the limit. What is counted in pixels of the result is smaller along with it; percent
    /// of the original stay as they are, because nobody knows its size yet.
    package func bounding(_ recipe: Recipe) -> Recipe {
        var bounded = recipe.folded
        bounded.leastWidth = bounded.leastWidth.map { min($0, width) }
        bounded.leastHeight = bounded.leastHeight.map { min($0, height) }
        let factor = min(Self.factor(bounded.width, width), Self.factor(bounded.height, height))
        if factor < 1 {
            bounded.scaleBox(by: factor)
            bounded.scaleEdges(by: factor)
            bounded.scaleCrop(by: factor)
        }
        bounded.boundOtherSide(by: self)
        return bounded.folded
    }

    private static func factor(_ length: Recipe.Length?, _ most: Int) -> Double {
        guard case .pixels(let pixels)? = length, pixels > most else { return 1 }
        // Cannot trap: of Doubles, and the pixels are above 0.
        return Double(most) / Double(pixels)
    }
}

extension Recipe {
    /// Gives a box the side that would follow by ratio, so that it is within the limit as well.
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
