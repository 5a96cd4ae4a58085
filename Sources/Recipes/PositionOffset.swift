// SPDX-License-Identifier: Apache-2.0

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

    /// The distance in pixels, without its direction.
    package static func distance(_ length: Recipe.Length?, of side: Int) -> Int {
        // Cannot trap: as below.
        abs(pixels(length, of: side))
    }

    /// Pixels along a side.
    static func pixels(_ length: Recipe.Length?, of side: Int) -> Int {
        switch length {
        case nil: 0
        case .pixels(let pixels): pixels
        // Cannot trap: at most the whole of a side below 2⁴⁶.
        case .percent(let percent): Int((Double(side) * percent / 100).rounded())
        }
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
