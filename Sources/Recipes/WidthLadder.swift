// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// The widths that can be made, if the configuration lists them: few sizes cache well, and no client can
/// order all 16,384.
///
/// A request for a size needs enough pixels for a place on a page, so it gets the next larger step, or the
/// last step beyond it. The other side is scaled along, so that the box keeps its shape.
package struct WidthLadder: Sendable, Hashable {
    /// Pixels, ascending; empty = every width can be made.
    package let steps: [Int]

    /// Allows every width.
    package static let none = WidthLadder([])

    /// Sorts the widths and drops duplicates.
    package init(_ widths: some Sequence<Int>) { steps = Set(widths).sorted() }

    /// Steps for percentages, whose pixels are unknown.
    private static let percentStep = 10.0

    /// The folded recipe, with its size raised to a step.
    package func climbed(by recipe: Recipe) -> Recipe {
        let recipe = recipe.folded
        // Pixels cut from the resized picture refer to the requested size.
        guard !steps.isEmpty, !recipe.cutsPixelsOfResult else { return recipe }
        var climbed = recipe
        climbed.leastWidth = recipe.leastWidth.map(pixels(atLeast:))
        climbed.leastHeight = recipe.leastHeight.map(pixels(atLeast:))
        guard let asked = recipe.width ?? recipe.height else {
            // A ratio's box is a part of the picture, as percentages of a side are.
            let part = Recipe.Length.percent(DecimalText.quantised(100 * recipe.zoom))
            // Cannot trap: of Doubles.
            let ratio = step(for: part).amount / part.amount
            climbed.scaleBox(by: ratio)
            climbed.scaleEdges(by: ratio)
            return climbed.folded
        }
        let step = self.step(for: asked)
        // Cannot trap: the amount asked for is a Double above 0.
        let ratio = step.amount / asked.amount
        if recipe.width == nil {
            climbed.height = step
        } else {
            climbed.width = step
            if let height = recipe.height {
                // If the scaled height is out of range, the box stays as it is.
                guard let scaled = height.scaled(by: ratio) else { return recipe }
                climbed.height = scaled
            }
        }
        climbed.scaleEdges(by: ratio)
        return climbed.folded
    }

    /// The next step, or the last one beyond it; the number itself on a ladder without steps.
    package func pixels(atLeast asked: Int) -> Int { steps.first { $0 >= asked } ?? steps.last ?? asked }

    private func step(for asked: Recipe.Length) -> Recipe.Length {
        switch asked {
        case .pixels(let asked): .pixels(pixels(atLeast: asked))
        case .percent(let percent): .percent((percent / Self.percentStep).rounded(.up) * Self.percentStep)
        }
    }
}

extension Recipe {
    fileprivate var cutsPixelsOfResult: Bool {
        guard let crop, !crop.beforeResize else { return false }
        return [crop.x, crop.y, crop.width, crop.height].contains {
            if case .pixels = $0 { true } else { false }
        }
    }
}

extension Recipe.Length {
    fileprivate var amount: Double {
        switch self {
        case .pixels(let pixels): Double(pixels)
        case .percent(let percent): percent
        }
    }

    /// Nil if the product is out of range.
    fileprivate func scaled(by ratio: Double) -> Recipe.Length? {
        let isInRange =
            switch self {
            case .pixels(let pixels): (Double(pixels) * ratio).rounded() <= Double(Self.pixelRange.upperBound)
            case .percent(let percent): percent * ratio <= Self.percentRange.upperBound
            }
        return isInRange ? multiplied(by: ratio) : nil
    }
}
