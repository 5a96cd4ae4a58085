// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

/// A width over a height, in whole numbers without a common divisor.
package struct AspectRatio: Sendable, Hashable {
    /// Above 0.
    package let width: Int
    /// Above 0.
    package let height: Int

    /// Numbers that either side may have.
    package static let range = 1...1_000_000
    /// Quotients that may stand for both.
    package static let quotients = 0.01...100.0

    /// Divided by what both have in common; numbers beyond the range are clamped.
    package init(_ width: Int, _ height: Int) {
        let (width, height) = (Self.clamp(width), Self.clamp(height))
        var (divisor, rest) = (width, height)
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        // Cannot trap: a divisor of two numbers above 0.
        (self.width, self.height) = (width / divisor, height / divisor)
    }

    /// A quotient, to four decimals.
    package init(_ quotient: Double) {
        let scaled = min(max(quotient, Self.quotients.lowerBound), Self.quotients.upperBound) * 10_000
        // Cannot trap: a number of 100…1,000,000.
        self.init(Int(scaled.rounded()), 10_000)
    }

    private static func clamp(_ number: Int) -> Int { min(max(number, range.lowerBound), range.upperBound) }

    /// The height that belongs to a width below 2³¹; at least 1.
    func height(of side: Int) -> Int { Self.part(side, height, width) }

    /// The width that belongs to a height below 2³¹; at least 1.
    func width(of side: Int) -> Int { Self.part(side, width, height) }

    /// Cannot trap: below 2⁵².
    private static func part(_ side: Int, _ number: Int, _ other: Int) -> Int {
        min(max(1, (2 * side * number + other) / (2 * other)), Int(Int32.max))
    }

    /// The largest box of this ratio within a picture, or the smallest around it.
    func box(of picture: PixelSize, around: Bool) -> PixelSize {
        // Cannot trap: sides are below 2³¹.
        let isNarrower = picture.width * height < picture.height * width
        return isNarrower != around
            ? PixelSize(width: picture.width, height: height(of: picture.width))
            : PixelSize(width: width(of: picture.height), height: picture.height)
    }
}
