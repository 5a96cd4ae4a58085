// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

/// A width over a height, as whole numbers without a common divisor.
package struct AspectRatio: Sendable, Hashable {
    /// Above 0.
    package let width: Int
    /// Above 0.
    package let height: Int

    /// The range of each of the two numbers.
    package static let range = 1...1_000_000
    /// The range of a quotient that may stand for both.
    package static let quotients = 0.01...100.0

    /// Divides both numbers by their greatest common divisor. Numbers beyond the range are clamped.
    package init(_ width: Int, _ height: Int) {
        let (width, height) = (Self.clamp(width), Self.clamp(height))
        var (divisor, rest) = (width, height)
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        // Cannot trap: the greatest common divisor of two positive numbers is positive.
        (self.width, self.height) = (width / divisor, height / divisor)
    }

    /// A quotient with four decimals.
    package init(_ quotient: Double) {
        let scaled = min(max(quotient, Self.quotients.lowerBound), Self.quotients.upperBound) * 10_000
        // Cannot trap: the number is 100…1,000,000.
        self.init(Int(scaled.rounded()), 10_000)
    }

    private static func clamp(_ number: Int) -> Int { min(max(number, range.lowerBound), range.upperBound) }

    /// The height for a width below 2³¹; at least 1.
    func height(of side: Int) -> Int { Self.part(side, height, width) }

    /// The width for a height below 2³¹; at least 1.
    func width(of side: Int) -> Int { Self.part(side, width, height) }

    /// Cannot trap: the product is below 2⁵².
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
