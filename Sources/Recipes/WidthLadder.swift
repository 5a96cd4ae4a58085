// SPDX-License-Identifier: Apache-2.0

/// The widths that are made, where a configuration names them: few sizes are cached well, and nobody can have all 16,384
/// of them made.
///
/// A size is a promise of enough pixels for a place on a page, so what is asked for gets the next step up, never less;
/// the last step is the largest that there is. The other side is scaled along, so that the box keeps its shape.
package struct WidthLadder: Sendable, Hashable {
    /// Pixels, rising. Empty: every width is made.
    package let steps: [Int]

    package static let none = WidthLadder([])

    package init(_ widths: some Sequence<Int>) { steps = Set(widths).sorted() }

    /// Percentages do not tell how many pixels they are, so they have steps of their own.
    private static let percentStep = 10.0

    /// The recipe with the size that it gets; folded.
    package func climbed(by recipe: Recipe) -> Recipe {
        let recipe = recipe.folded
        // Pixels cut from the resized picture speak of the very size that was asked for.
        guard !steps.isEmpty, !recipe.cutsPixelsOfResult, let asked = recipe.width ?? recipe.height else {
            return recipe
        }
        var climbed = recipe
        let step = self.step(for: asked)
        if recipe.width == nil {
            climbed.height = step
        } else {
            climbed.width = step
            if let height = recipe.height {
                // The shape comes first: where the height would be more than may be asked for, the box stays as it is.
                // Cannot trap: what is asked for is no nothing, and no whole number here.
                guard let scaled = height.scaled(by: step.amount / asked.amount) else { return recipe }
                climbed.height = scaled
            }
        }
        return climbed.folded
    }

    private func step(for asked: Recipe.Length) -> Recipe.Length {
        switch asked {
        case .pixels(let pixels): .pixels(steps.first { $0 >= pixels } ?? steps[steps.count - 1])
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

    /// Nil where that is more than may be asked for.
    fileprivate func scaled(by ratio: Double) -> Recipe.Length? {
        let isInRange =
            switch self {
            case .pixels(let pixels): (Double(pixels) * ratio).rounded() <= Double(Self.pixelRange.upperBound)
            case .percent(let percent): percent * ratio <= Self.percentRange.upperBound
            }
        return isInRange ? multiplied(by: ratio) : nil
    }
}
