// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// How far a window or a picture lies from where its alignment puts it: away from the side that the alignment names, and
/// from the middle to the right and down.
package struct PositionOffset: Sendable, Hashable {
    /// Pixels, or percent of the larger width; nil = 0.
    package var x: Recipe.Length?
    /// Pixels, or percent of the larger height; nil = 0.
    package var y: Recipe.Length?

    /// Nowhere.
    package init() {}

    /// Pixels that may be asked for.
    package static let pixelRange = -Recipe.Length.pixelRange.upperBound...Recipe.Length.pixelRange.upperBound
    /// Percentages that may be asked for.
    package static let percentRange = -100.0...100.0

    /// Pixels along both sides of the larger one.
    package func pixels(in size: PixelSize) -> (x: Int, y: Int) {
        (x?.pixels(of: size.width) ?? 0, y?.pixels(of: size.height) ?? 0)
    }

    /// Pixels times the ratio; percentages stay.
    func multiplied(by ratio: Double) -> PositionOffset {
        func scaled(_ length: Recipe.Length?) -> Recipe.Length? {
            guard case .pixels(let pixels) = length else { return length }
            return .pixels(pixels.multiplied(by: ratio, within: Self.pixelRange))
        }
        var shift = PositionOffset()
        (shift.x, shift.y) = (scaled(x), scaled(y))
        return shift
    }

    /// The offset without what moves nothing.
    var folded: PositionOffset {
        let nothing: [Recipe.Length?] = [.pixels(0), .percent(0)]
        var shift = self
        if nothing.contains(x) { shift.x = nil }
        if nothing.contains(y) { shift.y = nil }
        return shift
    }
}
