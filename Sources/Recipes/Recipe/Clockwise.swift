// SPDX-License-Identifier: Apache-2.0

/// Four numbers of pixels in the order of CSS: sides from the top, corners from the top left.
package struct Clockwise: Sendable, Hashable {
    /// The top, or the top left.
    package var first: Int
    /// The right, or the top right.
    package var second: Int
    /// The bottom, or the bottom right.
    package var third: Int
    /// The left, or the bottom left.
    package var fourth: Int

    /// The numbers in the order of CSS.
    package init(_ first: Int, _ second: Int, _ third: Int, _ fourth: Int) {
        (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
    }

    /// The same number four times.
    package init(_ all: Int) { self.init(all, all, all, all) }

    /// One to four numbers; a missing one equals the opposite one (CSS Box Model 3, §4). Nil for any other count.
    package init?(_ numbers: [Int]) {
        guard let first = numbers.first, numbers.count <= 4 else { return nil }
        let second = numbers.count > 1 ? numbers[1] : first
        self.init(
            first, second, numbers.count > 2 ? numbers[2] : first, numbers.count > 3 ? numbers[3] : second)
    }

    /// The fewest numbers that mean the same.
    package var shortest: [Int] {
        if fourth != second { return [first, second, third, fourth] }
        if third != first { return [first, second, third] }
        return second == first ? [first] : [first, second]
    }

    /// The allowed numbers: up to the box's maximum.
    package static let pixelRange = 0...Recipe.Length.pixelRange.upperBound

    /// The numbers in their order.
    package var all: [Int] { [first, second, third, fourth] }

    /// True if all four are 0.
    var isZero: Bool { self == Clockwise(0) }

    /// Each number times the ratio, rounded and clamped to the range.
    func multiplied(by ratio: Double) -> Clockwise {
        func scaled(_ pixels: Int) -> Int { pixels.multiplied(by: ratio, within: Self.pixelRange) }
        return Clockwise(scaled(first), scaled(second), scaled(third), scaled(fourth))
    }
}

extension Int {
    /// The number times the ratio, rounded and clamped to the range.
    func multiplied(by ratio: Double, within range: ClosedRange<Int>) -> Int {
        let product = (Double(self) * ratio).rounded()
        guard product.isFinite else { return range.upperBound }
        // Cannot trap: the number is finite and between two integers.
        return Int(Swift.min(Swift.max(product, Double(range.lowerBound)), Double(range.upperBound)))
    }
}
