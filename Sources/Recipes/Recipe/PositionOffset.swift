// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// The offset of a window or a picture from the place of its alignment: away from the side that the alignment names, and
/// from the middle to the right and down.
package struct PositionOffset: Sendable, Hashable {
    /// In pixels, or percent of the larger width; nil = 0.
    package var x: Recipe.Length?
    /// In pixels, or percent of the larger height; nil = 0.
    package var y: Recipe.Length?

    /// No offset.
    package init() {}

    /// The allowed pixels.
    package static let pixelRange = -Recipe.Length.pixelRange.upperBound...Recipe.Length.pixelRange.upperBound
    /// The allowed percentages.
    package static let percentRange = -100.0...100.0

    /// The offset in pixels; percentages refer to this size.
    package func pixels(in size: PixelSize) -> (x: Int, y: Int) {
        (x?.pixels(of: size.width) ?? 0, y?.pixels(of: size.height) ?? 0)
    }

    /// Multiplies pixels by the ratio; percentages stay as they are.
    func multiplied(by ratio: Double) -> PositionOffset {
        func scaled(_ length: Recipe.Length?) -> Recipe.Length? {
            guard case .pixels(let pixels) = length else { return length }
            return .pixels(pixels.multiplied(by: ratio, within: Self.pixelRange))
        }
        var shift = PositionOffset()
        (shift.x, shift.y) = (scaled(x), scaled(y))
        return shift
    }

    /// The offset without the parts that move nothing.
    var canonicalised: PositionOffset {
        let nothing: [Recipe.Length?] = [.pixels(0), .percent(0)]
        var shift = self
        if nothing.contains(x) { shift.x = nil }
        if nothing.contains(y) { shift.y = nil }
        return shift
    }
}
