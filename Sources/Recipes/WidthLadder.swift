// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// The allowed widths, if the configuration lists them: few sizes cache well, and no client can request all
/// 16,384.
///
/// A requested size has to fill a place on a page, so it is raised to the next step; a size above the last
/// step gets the last step. The other side is scaled with it, so that the box keeps its shape.
package struct WidthLadder: Sendable, Hashable {
    /// The widths in pixels, ascending; empty = every width is allowed.
    package let steps: [Int]

    /// Allows every width.
    package static let none = WidthLadder([])

    /// Sorts the widths and drops duplicates.
    package init(_ widths: some Sequence<Int>) { steps = Set(widths).sorted() }

    /// The step for percentages, whose pixels are unknown.
    private static let percentStep = 10.0

    /// The canonical recipe with its size raised to a step.
    package func climbed(by recipe: Recipe) -> Recipe {
        let recipe = recipe.canonicalised
        // A crop in pixels of the resized picture refers to the requested size.
        guard !steps.isEmpty, !recipe.cutsPixelsOfResult else { return recipe }
        var climbed = recipe
        climbed.leastWidth = recipe.leastWidth.map(pixels(atLeast:))
        climbed.leastHeight = recipe.leastHeight.map(pixels(atLeast:))
        guard let asked = recipe.width ?? recipe.height else {
            // A box by ratio is a part of the picture, like a percentage of a side.
            let part = Recipe.Length.percent(DecimalText.quantised(100 * recipe.zoom))
            // Cannot trap: floating-point arithmetic.
            let ratio = step(for: part).amount / part.amount
            climbed.scaleBox(by: ratio)
            climbed.scaleEdges(by: ratio)
            return climbed.canonicalised
        }
        let step = self.step(for: asked)
        // Cannot trap: floating-point division by an amount above 0.
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
        return climbed.canonicalised
    }

    /// The next larger step, or the last step; the number itself if there are no steps.
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
