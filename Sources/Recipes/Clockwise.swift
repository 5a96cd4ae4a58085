// SPDX-License-Identifier: Apache-2.0

/// Four numbers of pixels in the order of CSS: those of sides from the top, those of corners from the top left.
package struct Clockwise: Sendable, Hashable {
    /// The top, or the top left.
    package var first: Int
    /// The right, or the top right.
    package var second: Int
    /// The bottom, or the bottom right.
    package var third: Int
    /// The left, or the bottom left.
    package var fourth: Int

    /// In their order.
    package init(_ first: Int, _ second: Int, _ third: Int, _ fourth: Int) {
        (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
    }

    /// The same number four times.
    package init(_ all: Int) { self.init(all, all, all, all) }

    /// One to four numbers, of which those left out equal the ones across (CSS Box Model 3, §4); nil for any other count.
    package init?(_ numbers: [Int]) {
        guard let first = numbers.first, numbers.count <= 4 else { return nil }
        let second = numbers.count > 1 ? numbers[1] : first
        self.init(
            first, second, numbers.count > 2 ? numbers[2] : first, numbers.count > 3 ? numbers[3] : second)
    }

    /// As few numbers as say the same.
    package var shortest: [Int] {
        if fourth != second { return [first, second, third, fourth] }
        if third != first { return [first, second, third] }
        return second == first ? [first] : [first, second]
    }

    /// Numbers that may be asked for: as many as the box may have.
    package static let pixelRange = 0...Recipe.Length.pixelRange.upperBound

    /// In their order.
    package var all: [Int] { [first, second, third, fourth] }

    /// Nothing anywhere.
    var isZero: Bool { self == Clockwise(0) }

    /// Each times the ratio, rounded, within the range.
    func multiplied(by ratio: Double) -> Clockwise {
        func scaled(_ pixels: Int) -> Int { pixels.multiplied(by: ratio, within: Self.pixelRange) }
        return Clockwise(scaled(first), scaled(second), scaled(third), scaled(fourth))
    }
}

extension Int {
    /// Times the ratio, rounded, and no further than the range goes.
    func multiplied(by ratio: Double, within range: ClosedRange<Int>) -> Int {
        let product = (Double(self) * ratio).rounded()
        guard product.isFinite else { return range.upperBound }
        // Cannot trap: a finite number between two integers.
        return Int(Swift.min(Swift.max(product, Double(range.lowerBound)), Double(range.upperBound)))
    }
}
