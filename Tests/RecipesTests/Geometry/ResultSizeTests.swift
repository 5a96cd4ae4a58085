// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import RandomInputs
import RandomRecipes
import Recipes
import RequestGrammar
import Testing

@Suite("The header and the recipe tell the size of the result")
struct ResultSizeTests {
    private func size(_ options: String, of width: Int, _ height: Int, orientation: Int = 1) throws -> [Int] {
        let header = ImageHeader(format: .jpeg, width: width, height: height, orientation: orientation)
        let size = try Recipe(canonical: options).resultSize(for: header)
        return [size.width, size.height]
    }

    @Test(arguments: [
        ("", [800, 600]), ("w=400", [400, 300]), ("h=60", [80, 60]), ("fit=cover&h=200&w=200", [200, 200]),
        ("fit=contain&h=200&w=200", [200, 200]), ("fit=cover&h=9000&w=200", [200, 600]),
        ("w=1600", [800, 600]), ("w=1600&we=0", [1_600, 1_200]),
    ])
    func `it is that of the box and its fit`(options: String, expected: [Int]) throws {
        #expect(try size(options, of: 800, 600) == expected)
    }

    @Test(arguments: [
        // A crop of the resized picture.
        ("cw=20&cx=10&w=400", [20, 300]), ("ch=100&cy=250&w=400", [400, 50]), ("cw=50%25&w=400", [200, 300]),
        ("cx=10", [790, 600]), ("ca=right&cw=800&cx=10", [800, 600]),
        ("ca=right&cw=100%25&cx=10", [800, 600]),
        // A crop of the original, and then a resize.
        ("ch=50&cw=100&precrop=1&w=50", [50, 25]), ("ch=50&cw=100&precrop=1&w=200", [100, 50]),
        ("ch=50&cw=100&precrop=1&w=200&we=0", [200, 100]),
        // A picture that goes on a canvas is cropped before that, so the canvas stays whole.
        ("ch=20&cw=20&fit=contain&h=100&w=100", [100, 100]), ("cw=20&fit=contain&h=75&w=100", [20, 75]),
    ])
    func `a cut is of the resized picture, or of the original if it comes first`(
        options: String, expected: [Int]
    )
        throws
    {
        #expect(try size(options, of: 800, 600) == expected)
    }

    @Test(arguments: [
        ("ro=90", [100, 200]), ("ro=180", [200, 100]), ("ro=270", [100, 200]), ("flip=1&ro=90", [100, 200]),
        ("flop=1", [200, 100]), ("ro=30", [223, 187]), ("ro=60", [187, 223]), ("ro=45", [212, 212]),
        ("ro=120", [187, 223]), ("ro=150", [223, 187]), ("ro=210", [223, 187]), ("ro=300", [187, 223]),
        ("ro=1", [202, 103]), ("ro=89", [103, 202]), ("ro=91", [103, 202]), ("ro=179", [202, 103]),
        ("ro=0.1", [200, 100]), ("ro=90.5", [102, 201]),
    ])
    func `a turned picture lies in the smallest upright box around it`(options: String, expected: [Int])
        throws
    {
        #expect(try size(options, of: 200, 100) == expected)
    }

    /// For each angle, the sine leaves five thousandths of a pixel to the nearest half.
    @Test(arguments: [
        ("ro=85", 2_147_483_375, 187_165_510, 2_139_311_553),
        ("ro=89.5", 2_147_481_275, 18_740_073, 2_147_399_506),
        ("ro=95", 2_147_483_375, 187_165_510, 2_139_311_553),
    ])
    func `the box around the longest side there is is right to the pixel`(
        options: String, width: Int, across: Int, down: Int
    ) throws {
        #expect(try size(options, of: width, 1) == [across, down])
    }

    @Test(arguments: [
        ("ch=50&cw=100&preturn=1&ro=90", [100, 50]), ("ch=50&cw=100&ro=90", [50, 100]),
        ("ch=50&cw=100&precrop=1&preturn=1&ro=90&w=40", [40, 20]),
        ("ch=50&cw=100&precrop=1&ro=90&w=40", [20, 40]), ("ch=700&cw=1&preturn=1&ro=90", [1, 700]),
        // Without the turn the picture is not that high, so all of it is kept.
        ("ch=700&cw=1", [1, 600]), ("fit=cover&h=50&preturn=1&ro=90&w=100", [75, 50]),
        ("fit=cover&h=50&preturn=1&ro=180&w=100", [100, 50]),
    ])
    func `turned first, a picture is cut as it lies`(options: String, expected: [Int]) throws {
        #expect(try size(options, of: 800, 600) == expected)
    }

    @Test(arguments: [
        // The largest box of that ratio within the picture, and the smallest around it.
        ("ar=1:1&fit=cover", [600, 600]), ("ar=16:9&fit=cover", [800, 450]),
        ("ar=1:2&fit=cover", [300, 600]),
        ("ar=1:1&fit=contain", [800, 800]), ("ar=16:9&fit=contain", [1_067, 600]),
        ("ar=4:3&fit=cover", [800, 600]),
        ("ar=1:1&fit=fill", [600, 600]), ("ar=1:1&fit=cover&w=50%25", [400, 400]),
        ("ar=2:1&fit=cover&h=50%25", [600, 300]), ("ar=2:1&fit=cover&w=400", [400, 200]),
        // A box that comes out too large is reduced, whether in pixels or in percent.
        ("ar=1:1&fit=cover&shrinkbox=1&w=800", [600, 600]),
        ("ar=1:1&fit=cover&shrinkbox=1&w=100%25", [600, 600]),
        ("ar=2:1&fit=contain&shrinkbox=1&h=200%25", [1_200, 600]),
        // A portrait box is turned for a landscape picture, also if only a ratio makes it.
        ("ar=3:4&fit=cover&turnbox=1", [600, 450]), ("ar=4:3&fit=cover&turnbox=1", [800, 600]),
        ("ar=1:2&fit=fill&turnbox=1", [600, 300]), ("ar=1:2&fit=cover&turnbox=1&w=25%25", [400, 200]),
        ("ar=1:2&turnbox=1&w=25%25", [267, 200]), ("ar=3:4&fit=contain&turnbox=1", [1_067, 800]),
        ("ar=1:1&ch=100&cw=50&fit=cover&precrop=1", [50, 50]),
        // Least sides enlarge the result of the box.
        ("minw=300&w=200", [300, 225]), ("minh=300&w=200", [400, 300]), ("minw=100&w=200", [200, 150]),
        ("minw=1600", [1_600, 1_200]), ("h=100&minh=90&minw=400&w=100", [400, 300]),
        ("fit=cover&h=100&minw=400&w=100", [100, 100]), ("fit=contain&h=100&minw=150&w=100", [150, 113]),
        ("fit=contain&h=300&minw=150&w=100", [150, 300]), ("fit=fill&h=100&minw=150&w=100", [150, 100]),
        ("fit=fill&h=100&minh=150&minw=50&w=100", [100, 150]),
    ])
    func `a ratio makes a box, and least sides are met`(options: String, expected: [Int]) throws {
        #expect(try size(options, of: 800, 600) == expected)
    }

    @Test(
        arguments: [
            ("fit=cover", "1:1", 0.5, [150, 150]), ("fit=fill", "1:1", 0.5, [150, 150]),
            ("fit=contain", "1:1", 0.5, [200, 200]), ("fit=auto", "4:3", 0.5, [200, 150]),
            ("fit=cover&we=0", "1:1", 2, [600, 600]), ("fit=fill&we=0", "1:1", 2, [600, 600]),
            ("fit=contain&we=0", "1:1", 2, [800, 800]), ("fit=contain", "1:1", 2, [800, 800]),
            ("fit=cover&shrinkbox", "1:1", 2, [300, 300]), ("fit=contain&shrinkbox", "1:1", 2, [400, 400]),
            ("fit=cover", "4:3", 0.5, [200, 150]), ("fit=cover", "16:9", 0.1, [40, 23]),
            ("fit=contain", "4:3", 0.5, [200, 150]), ("fit=inside", "1:1", 0.5, [200, 150]),
            ("fit=outside", "1:1", 0.5, [200, 150]),
            // A picture that may not grow does not fill its box.
            ("fit=cover", "1:1", 2, [400, 300]),
        ] as [(String, String, Double, [Int])])
    func `a zoom multiplies the box that a ratio makes, alike of a picture that lies and one that stands`(
        fit: String, ratio: String, zoom: Double, expected: [Int]
    ) throws {
        let standing = ratio.split(separator: ":").reversed().joined(separator: ":")
        #expect(try size("\(fit)&ar=\(ratio)&zoom=\(zoom)", of: 400, 300) == expected)
        #expect(try size("\(fit)&ar=\(standing)&zoom=\(zoom)", of: 300, 400) == expected.reversed())
    }

    @Test(arguments: [
        ("pad=10", [820, 620]), ("pad=1,2,3,4&w=400", [406, 304]), ("pad=5,0&ro=90", [600, 810]),
        ("cw=20&ch=10&pad=5", [30, 20]), ("fit=contain&h=200&pad=1&w=200", [202, 202]),
    ])
    func `padding is added at last`(options: String, expected: [Int]) throws {
        #expect(try size(options, of: 800, 600) == expected)
    }

    @Test func `what tells no size has none`() throws {
        #expect(try size("w=100", of: 0, 0) == [0, 0])
        #expect(try size("w=100&we=0", of: 0, 7) == [0, 7])
        #expect(try size("w=100&we=0", of: 7, 0) == [7, 0])
    }

    @Test func `of the orientation nothing counts but how the picture stands`() {
        var random = SeededRandom(for: "orientation")
        for _ in 0..<3_000 {
            let recipe = random.recipe()
            let (width, height) = (
                Int.random(in: 1...2_000, using: &random), Int.random(in: 1...2_000, using: &random)
            )
            let standing = ImageHeader(format: .jpeg, width: width, height: height)
            let lying = ImageHeader(format: .jpeg, width: height, height: width)
            let (one, other) = (recipe.resultSize(for: standing), recipe.resultSize(for: lying))
            for orientation in 1...8 {
                var header = standing
                header.orientation = orientation
                #expect(recipe.resultSize(for: header) == (orientation < 5 ? one : other), "\(orientation)")
            }
        }
    }

    @Test func `an angle, its opposite and its mirror need the same box`() throws {
        var random = SeededRandom(for: "angles")
        for _ in 0..<2_000 {
            let header = ImageHeader(
                format: .png, width: Int.random(in: 1...5_000, using: &random),
                height: Int.random(in: 1...5_000, using: &random))
            var recipe = Recipe()
            recipe.rotation = Double(Int.random(in: 1..<1_800, using: &random)) / 10
            let size = recipe.resultSize(for: header)
            #expect(
                size.width >= min(header.width, header.height)
                    && size.height >= min(header.width, header.height))
            #expect(size.width <= header.width + header.height && size.height <= header.width + header.height)
            for same in [
                recipe.rotation + 180, 360 - recipe.rotation, -recipe.rotation, recipe.rotation + 720,
            ] {
                var other = recipe
                other.rotation = same
                let there = other.resultSize(for: header)
                // If a sine gives half a pixel, either neighbour is right.
                #expect((there.width - size.width).magnitude <= 1, "\(recipe.rotation) \(same)")
                #expect((there.height - size.height).magnitude <= 1, "\(recipe.rotation) \(same)")
            }
        }
    }

    @Test func `canonicalisation changes no size`() {
        var random = SeededRandom(for: "sizes")
        for _ in 0..<5_000 {
            let recipe = random.recipe()
            let header = ImageHeader(
                format: .png, width: Int.random(in: 1...3_000, using: &random),
                height: Int.random(in: 1...3_000, using: &random),
                orientation: Int.random(in: 1...8, using: &random))
            let size = recipe.resultSize(for: header)
            #expect(size == recipe.canonicalised.resultSize(for: header), "\(recipe.canonical)")
            #expect(size.width >= 1 && size.height >= 1, "\(recipe.canonical)")
        }
    }
}
