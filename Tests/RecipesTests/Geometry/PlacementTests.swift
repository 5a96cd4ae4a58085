// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import RandomInputs
import Recipes
import RequestGrammar
import Testing

@Suite("An alignment says where a picture lies on what is larger, and what is kept of it")
struct PlacementTests {
    private static let picture = PixelSize(width: 10, height: 10)

    @Test(
        arguments: [
            (.topLeft, 0, 0), (.top, 5, 0), (.topRight, 11, 0), (.left, 0, 10), (.center, 5, 10),
            (.right, 11, 10),
            (.bottomLeft, 0, 21), (.bottom, 5, 21), (.bottomRight, 11, 21),
            // Alignments that search for something lie in the middle if there is nothing to search.
            (.entropy, 5, 10), (.attention, 5, 10),
        ] as [(Recipe.Alignment, Int, Int)])
    func `each of the nine places is a corner`(alignment: Recipe.Alignment, x: Int, y: Int) {
        let corner = Geometry.corner(of: Self.picture, on: PixelSize(width: 21, height: 31), alignment)
        #expect((corner.x, corner.y) == (x, y))
    }

    @Test(
        arguments: [
            (0, 0, 0, 0), (1, 1, 20, 40), (0.5, 0.5, 10, 20), (0.25, 0.75, 5, 30), (0.1, 0.99, 2, 40),
            // Halves are rounded down, as in the middle.
            (0.125, 0.0125, 2, 0), (0.126, 0.013, 3, 1),
        ] as [(Double, Double, Int, Int)])
    func `bars share the rest as the focal point shares the side`(fx: Double, fy: Double, x: Int, y: Int) {
        let corner = Geometry.corner(
            of: Self.picture, on: PixelSize(width: 30, height: 50), .focal, FocalPoint(x: fx, y: fy))
        #expect((corner.x, corner.y) == (x, y))
    }

    @Test func `a focal point in the middle is the middle`() {
        for side in 10...40 {
            let canvas = PixelSize(width: side, height: 50 - side)
            guard canvas.height >= 10 else { continue }
            let focal = Geometry.corner(of: Self.picture, on: canvas, .focal)
            let middle = Geometry.corner(of: Self.picture, on: canvas, .center)
            #expect((focal.x, focal.y) == (middle.x, middle.y), "\(side)")
        }
    }

    @Test(
        arguments: [
            // 50 of 200 pixels are kept.
            (0, 0), (0.1, 0), (0.125, 0), (0.13, 1), (0.25, 25), (0.5, 75), (0.75, 125), (0.875, 150),
            (0.9, 150),
            (1, 150),
        ] as [(Double, Int)])
    func `a crop has its focal point in the middle, as far as the picture reaches`(point: Double, start: Int)
        throws
    {
        var recipe = Recipe()
        (recipe.width, recipe.height, recipe.fit) = (.pixels(50), .pixels(100), .cover)
        recipe.alignment = .focal
        recipe.focus = Focus(FocalPoint(x: point, y: 0.1))
        let across = Geometry.plan(upright: PixelSize(width: 200, height: 100), recipe: recipe)
        // A focal point in the middle equals the centre, and halves are rounded alike.
        #expect(across.placement == .crop(x: start, y: 0))
        (recipe.width, recipe.height) = (.pixels(100), .pixels(50))
        recipe.focus = Focus(FocalPoint(x: 0.1, y: point))
        let down = Geometry.plan(upright: PixelSize(width: 100, height: 200), recipe: recipe)
        #expect(down.placement == .crop(x: 0, y: start))
    }

    /// 50 × 50 in 200 × 100, or on it: 150 and 50 pixels are left over.
    @Test(arguments: [
        ("a=left&ax=10", 10, 25), ("a=right&ax=10", 140, 25), ("ax=10", 85, 25), ("ax=-10&ay=5", 65, 30),
        ("a=top&ay=7", 75, 7), ("a=bottom&ay=7", 75, 43), ("a=bottom-right&ax=3&ay=4", 147, 46),
        ("a=top-left&ax=3&ay=4", 3, 4), ("ax=25%25", 125, 25), ("a=right&ax=10%25", 130, 25),
        ("ay=-10%25", 75, 15),
        // Offsets are limited by the room.
        ("a=left&ax=151", 150, 25), ("a=left&ax=-1", 0, 25), ("a=right&ax=151", 0, 25), ("ay=-100%25", 75, 0),
    ])
    func `a shift leads away from the side, or to the right and down, and not beyond the picture`(
        options: String, x: Int, y: Int
    ) throws {
        let size = PixelSize(width: 200, height: 100)
        let shift = try Recipe(canonical: "fit=contain&h=50&w=50&\(options)").shift
        let alignment = try Recipe(canonical: "fit=contain&h=50&w=50&\(options)").alignment
        let corner = Geometry.corner(
            of: PixelSize(width: 50, height: 50), on: size, alignment, FocalPoint(), shift)
        #expect((corner.x, corner.y) == (x, y))
        var recipe = try Recipe(canonical: "fit=cover&h=50&w=50&\(options)")
        recipe.leastWidth = 200
        #expect(Geometry.plan(upright: size, recipe: recipe).placement == .crop(x: x, y: y))
    }

    @Test func `contain lays the focal point's share on either side`() throws {
        let geometry = try Geometry.plan(
            upright: PixelSize(width: 100, height: 50),
            recipe: Recipe(canonical: "a=focal&fit=contain&fpy=0.25&h=100&w=100"))
        #expect(geometry.placement == .embed(x: 0, y: 12))
        #expect(geometry.isEmbedded)
        let cut = try Geometry.plan(
            upright: PixelSize(width: 100, height: 50), recipe: Recipe(canonical: "fit=cover&h=50&w=50"))
        #expect(!cut.isEmbedded)
    }

    @Test func `wherever it is put, the picture lies on the canvas`() {
        var random = SeededRandom(for: "corners")
        for _ in 0..<5_000 {
            let picture = PixelSize(
                width: Int.random(in: 1...500, using: &random),
                height: Int.random(in: 1...500, using: &random))
            let canvas = PixelSize(
                width: picture.width + Int.random(in: 0...300, using: &random),
                height: picture.height + Int.random(in: 0...300, using: &random))
            let point = FocalPoint(
                x: Double.random(in: 0...1, using: &random), y: Double.random(in: 0...1, using: &random))
            for alignment in Recipe.Alignment.allCases {
                let corner = Geometry.corner(of: picture, on: canvas, alignment, point)
                #expect(corner.x >= 0 && corner.x + picture.width <= canvas.width, "\(alignment) \(point)")
                #expect(corner.y >= 0 && corner.y + picture.height <= canvas.height, "\(alignment) \(point)")
            }
        }
    }

    @Test func `a plan may exceed its format by either side, resized or on its canvas`() {
        let (small, large) = (PixelSize(width: 9, height: 9), 65_501)
        for size in [PixelSize(width: large, height: 1), PixelSize(width: 1, height: large)] {
            let resized = Geometry(resized: size, canvas: small, placement: .crop(x: 0, y: 0))
            let embedded = Geometry(resized: small, canvas: size, placement: .embed(x: 0, y: 0))
            for plan in [resized, embedded] {
                #expect(plan.limitExceeded(writing: .jpeg) == 65_500)
                #expect(plan.limitExceeded(writing: .png) == nil)
            }
        }
        let most = Geometry(
            resized: PixelSize(width: 65_500, height: 16_383), canvas: small, placement: .whole)
        #expect(most.limitExceeded(writing: .jpeg) == nil)
        #expect(most.limitExceeded(writing: .webp) == 16_383)
    }
}
