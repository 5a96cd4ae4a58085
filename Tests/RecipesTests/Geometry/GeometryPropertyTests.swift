// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import RandomInputs
import RandomRecipes
import Recipes
import Testing

@Suite struct GeometryPropertyTests {
    private struct Sample {
        var recipe: Recipe
        var upright: PixelSize
        var geometry: Geometry
        /// The box in pixels, in the picture's orientation.
        var box: (width: Int?, height: Int?)
    }

    /// Random recipes in pixels for random pictures.
    /// - Parameter isPlain: true if only the box decides, without a ratio or least sides.
    private func samples(
        _ name: String, _ count: Int = 5_000, turnsFirst: Bool = false, isPlain: Bool = true
    ) -> [Sample] {
        var random = SeededRandom(for: name)
        return (0..<count).map { _ in
            var recipe = random.recipe().canonicalised
            if isPlain {
                (recipe.leastWidth, recipe.leastHeight, recipe.aspect, recipe.zoom) = (nil, nil, nil, 1)
                (recipe.withoutReduction, recipe.shrinksBox) = (false, false)
            }
            recipe.turnsFirst = turnsFirst
            func pixels(_ length: Recipe.Length?) -> Int? {
                guard let length else { return nil }
                guard case .pixels(let pixels) = length else {
                    return Int.random(in: 1...4_000, using: &random)
                }
                return pixels
            }
            var box = (width: pixels(recipe.width), height: pixels(recipe.height))
            recipe.width = box.width.map { .pixels($0) }
            recipe.height = box.height.map { .pixels($0) }
            recipe = recipe.canonicalised
            let upright = PixelSize(
                width: Int.random(in: 1...5_000, using: &random),
                height: Int.random(in: 1...5_000, using: &random))
            if recipe.turnsBox, let width = box.width, let height = box.height,
                (width - height).signum() * (upright.width - upright.height).signum() < 0
            {
                box = (width: height, height: width)
            }
            return Sample(
                recipe: recipe, upright: upright, geometry: Geometry.plan(upright: upright, recipe: recipe),
                box: box)
        }
    }

    @Test func `nothing grows without enlargement, but contain's canvas`() {
        for sample in samples("enlargement") where sample.recipe.withoutEnlargement {
            let geometry = sample.geometry
            #expect(geometry.resized.width <= sample.upright.width, "\(sample)")
            #expect(geometry.resized.height <= sample.upright.height, "\(sample)")
            guard sample.recipe.fit != .contain else { continue }
            #expect(geometry.canvas.width <= sample.upright.width, "\(sample)")
            #expect(geometry.canvas.height <= sample.upright.height, "\(sample)")
        }
    }

    @Test func `the result lies in the box, but for outside`() {
        for sample in samples("box") where sample.recipe.fit != .outside {
            if let width = sample.box.width { #expect(sample.geometry.canvas.width <= width, "\(sample)") }
            if let height = sample.box.height {
                #expect(sample.geometry.canvas.height <= height, "\(sample)")
            }
        }
    }

    @Test func `with enlargement the box is met exactly`() {
        for sample in samples("exact") where !sample.recipe.withoutEnlargement {
            let canvas = sample.geometry.canvas
            let meets = (canvas.width == sample.box.width, canvas.height == sample.box.height)
            switch (sample.recipe.fit, sample.box) {
            case (_, (nil, nil)): #expect(canvas == sample.upright)
            case (_, (_, nil)): #expect(meets.0, "\(sample)")
            case (_, (nil, _)): #expect(meets.1, "\(sample)")
            case (.inside, _), (.outside, _), (.auto, _): #expect(meets.0 || meets.1, "\(sample)")
            case (.cover, _), (.fill, _), (.contain, _): #expect(meets.0 && meets.1, "\(sample)")
            }
        }
    }

    @Test func `the ratio is kept to half a pixel`() {
        for sample in samples("ratio")
        where sample.recipe.fit != .fill || sample.box.width == nil || sample.box.height == nil {
            let (old, new) = (sample.upright, sample.geometry.resized)
            // One side is exact. The other is off by at most half a pixel, or a pixel if it would have
            // vanished.
            let offWidth = abs(
                Double(old.width) * Double(new.height) / Double(old.height) - Double(new.width))
            let offHeight = abs(
                Double(old.height) * Double(new.width) / Double(old.width) - Double(new.height))
            #expect(min(offWidth, offHeight) <= 0.5 || min(new.width, new.height) == 1, "\(sample)")
        }
    }

    @Test func `turned first, a picture is resized as ever, and what is taken of it lies in the turned one`()
    {
        for sample in samples("turned", turnsFirst: true, isPlain: false) {
            var later = sample.recipe
            later.turnsFirst = false
            let resized = Geometry.plan(upright: sample.upright, recipe: later).resized
            #expect(sample.geometry.resized == resized, "\(sample)")
            let lies = sample.recipe.turnsFirst && [90, 270].contains(sample.recipe.rotation)
            let turned = lies && sample.recipe.crop?.beforeResize != true ? resized.lyingDown : resized
            let canvas = sample.geometry.canvas
            switch sample.geometry.placement {
            case .whole: #expect(canvas == turned, "\(sample)")
            case .cropByEntropy, .cropByAttention:
                #expect(canvas.width <= turned.width && canvas.height <= turned.height, "\(sample)")
            case .crop(let x, let y):
                #expect(x >= 0 && x + canvas.width <= turned.width, "\(sample)")
                #expect(y >= 0 && y + canvas.height <= turned.height, "\(sample)")
            case .embed(let x, let y):
                // A picture that exceeds its canvas shows a part of it on either axis.
                #expect(max(x, 0) < min(x + turned.width, canvas.width), "\(sample)")
                #expect(max(y, 0) < min(y + turned.height, canvas.height), "\(sample)")
            }
        }
    }

    @Test func `a box that shrinks is no larger than before, and no larger than cover's picture`() {
        for sample in samples("shrunk boxes", isPlain: false) where sample.recipe.shrinksBox {
            var whole = sample.recipe
            whole.shrinksBox = false
            let before = Geometry.plan(upright: sample.upright, recipe: whole)
            #expect(sample.geometry.resized == before.resized, "\(sample)")
            #expect(sample.geometry.canvas.width <= before.canvas.width, "\(sample)")
            #expect(sample.geometry.canvas.height <= before.canvas.height, "\(sample)")
        }
    }

    @Test func `without reduction no side is shorter than the original's`() {
        for sample in samples("no reduction", isPlain: false) where sample.recipe.withoutReduction {
            #expect(sample.geometry.resized.width >= sample.upright.width, "\(sample)")
            #expect(sample.geometry.resized.height >= sample.upright.height, "\(sample)")
        }
    }

    @Test func `least sides are met, whatever else is asked`() {
        for sample in samples("least", isPlain: false) {
            #expect(sample.geometry.resized.width >= sample.recipe.leastWidth ?? 1, "\(sample)")
            #expect(sample.geometry.resized.height >= sample.recipe.leastHeight ?? 1, "\(sample)")
        }
    }

    @Test func `crops lie in the picture and pictures on the canvas`() {
        for sample in samples("placement", isPlain: false) {
            let (resized, canvas) = (sample.geometry.resized, sample.geometry.canvas)
            #expect(canvas.width >= 1 && canvas.height >= 1 && resized.width >= 1 && resized.height >= 1)
            switch sample.geometry.placement {
            case .whole: #expect(canvas == resized)
            case .cropByEntropy, .cropByAttention:
                #expect(canvas.width <= resized.width && canvas.height <= resized.height && canvas != resized)
            case .crop(let x, let y):
                #expect(x >= 0 && y >= 0, "\(sample)")
                #expect(x + canvas.width <= resized.width && y + canvas.height <= resized.height, "\(sample)")
            case .embed(let x, let y):
                #expect(x >= 0 && y >= 0, "\(sample)")
                #expect(x + resized.width <= canvas.width && y + resized.height <= canvas.height, "\(sample)")
            }
        }
    }
}
