// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import RandomInputs
import Recipes
import Testing

@Suite("A picture has the sides that a box and its fit leave it, side by side")
struct ShrinkModelTests {
    /// A side's length times a fraction, with halves rounded up, and at least 1.
    private static func scaled(_ side: Int, _ numerator: Int, over denominator: Int) -> Int {
        let (quotient, rest) = (side * numerator).quotientAndRemainder(dividingBy: denominator)
        return max(1, quotient + (2 * rest >= denominator ? 1 : 0))
    }

    /// The rules for each fit in sharp's documents: which side of the box decides, and when nothing grows.
    private static func sides(
        _ picture: PixelSize, width: Int?, height: Int?, fit: Recipe.Fit, mayGrow: Bool
    ) -> PixelSize {
        func byWidth(_ width: Int) -> PixelSize {
            if !mayGrow, width > picture.width { return picture }
            return PixelSize(width: width, height: scaled(picture.height, width, over: picture.width))
        }
        func byHeight(_ height: Int) -> PixelSize {
            if !mayGrow, height > picture.height { return picture }
            return PixelSize(width: scaled(picture.width, height, over: picture.height), height: height)
        }
        // With one side, sharp keeps the other as it is; here it follows from the ratio, as under every fit.
        if fit == .fill, let width, let height {
            return PixelSize(
                width: mayGrow ? width : min(width, picture.width),
                height: mayGrow ? height : min(height, picture.height))
        }
        switch (width, height) {
        case (nil, nil): return picture
        case (let width?, nil): return byWidth(width)
        case (nil, let height?): return byHeight(height)
        case (let width?, let height?):
            // The picture is wider than the box: its width decides inside a box, and its height around a box.
            let isWider = picture.width * height > width * picture.height
            let staysInside = fit == .inside || fit == .contain
            return isWider == staysInside ? byWidth(width) : byHeight(height)
        }
    }

    private static let fits: [Recipe.Fit] = [.inside, .outside, .cover, .contain, .fill]

    private func recipe(_ width: Int?, _ height: Int?, _ fit: Recipe.Fit, mayGrow: Bool) -> Recipe {
        var recipe = Recipe()
        recipe.width = width.map { .pixels($0) }
        recipe.height = height.map { .pixels($0) }
        (recipe.fit, recipe.withoutEnlargement) = (fit, !mayGrow)
        return recipe
    }

    @Test func `there is no other fit, but that which chooses between two of them`() {
        #expect(Set(Self.fits + [.auto]) == Set(Recipe.Fit.allCases))
    }

    /// All pictures and all boxes of a few pixels, which include every tie, every half and every vanishing side.
    @Test func `each small picture meets each small box as the documents say`() {
        let lengths: [Int?] = [nil, 1, 2, 3, 4, 5, 7]
        for fit in Self.fits {
            for mayGrow in [false, true] {
                for width in lengths {
                    for height in lengths {
                        let recipe = recipe(width, height, fit, mayGrow: mayGrow)
                        for across in 1...6 {
                            for down in 1...6 {
                                let picture = PixelSize(width: across, height: down)
                                let plan = Geometry.plan(upright: picture, recipe: recipe)
                                let expected = Self.sides(
                                    picture, width: width, height: height, fit: fit, mayGrow: mayGrow)
                                guard plan.resized == expected else {
                                    Issue.record("\(picture) in \(recipe.canonicalSides) is \(plan.resized)")
                                    continue
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    @Test func `so does each large one`() {
        var random = SeededRandom(for: "large pictures")
        for _ in 0..<20_000 {
            func side(_ most: Int) -> Int {
                Int.random(in: 1...(random.chance(30) ? 64 : most), using: &random)
            }
            let picture = PixelSize(width: side(65_535), height: side(65_535))
            let (width, height) = (
                random.chance(80) ? side(16_384) : nil, random.chance(80) ? side(16_384) : nil
            )
            let fit = Self.fits.randomElement(using: &random) ?? .inside
            let mayGrow = random.chance(50)
            let recipe = recipe(width, height, fit, mayGrow: mayGrow)
            let resized = Geometry.plan(upright: picture, recipe: recipe).resized
            let expected = Self.sides(picture, width: width, height: height, fit: fit, mayGrow: mayGrow)
            #expect(resized == expected, "\(picture) in \(recipe.canonicalSides)")
        }
    }

    @Test func `a canvas is the box, or what of it there is a picture for`() {
        var random = SeededRandom(for: "canvases")
        for _ in 0..<5_000 {
            func side() -> Int { Int.random(in: 1...300, using: &random) }
            let (picture, width, height) = (PixelSize(width: side(), height: side()), side(), side())
            let mayGrow = random.chance(50)
            for fit in Self.fits {
                let recipe = recipe(width, height, fit, mayGrow: mayGrow)
                let plan = Geometry.plan(upright: picture, recipe: recipe)
                let expected =
                    switch fit {
                    case .inside, .outside, .fill, .auto: plan.resized
                    case .contain: PixelSize(width: width, height: height)
                    case .cover:
                        PixelSize(
                            width: min(width, plan.resized.width), height: min(height, plan.resized.height))
                    }
                #expect(plan.canvas == expected, "\(picture) in \(recipe.canonicalSides)")
                #expect(plan.isEmbedded == (fit == .contain && plan.resized != plan.canvas))
                #expect((plan.placement == .whole) == (plan.resized == plan.canvas))
            }
        }
    }

    // MARK: Percent

    @Test func `percent are of the picture's own side, to the nearest pixel`() {
        for side in [1, 2, 3, 10, 99, 100, 101, 1_000, 65_535] {
            let picture = PixelSize(width: side, height: side)
            for hundredths in [1, 49, 50, 51, 100, 2_500, 3_333, 5_000, 9_999, 10_001, 100_000] {
                var recipe = recipe(nil, nil, .inside, mayGrow: true)
                recipe.width = .percent(Double(hundredths) / 100)
                let expected = max(1, (2 * side * hundredths + 10_000) / 20_000)
                let resized = Geometry.plan(upright: picture, recipe: recipe).resized
                #expect(resized.width == expected, "\(hundredths) hundredths of a percent of \(side)")
            }
        }
    }
}

extension Recipe {
    /// For failure messages.
    fileprivate var canonicalSides: String {
        "\(String(describing: width)) × \(String(describing: height)), \(fit.rawValue), grows: \(!withoutEnlargement)"
    }
}
