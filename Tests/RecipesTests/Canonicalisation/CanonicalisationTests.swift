// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import RandomInputs
import RandomRecipes
import Recipes
import Testing

@Suite("Recipes that make one picture are one recipe")
struct CanonicalisationTests {
    @Test(arguments: [
        ("w=100&h=50&dpr=2", "h=100&w=200"), ("w=101&dpr=1.5", "w=152"), ("w=1&dpr=0.1", "w=1"),
        ("w=25%25&dpr=2", "w=50%25"), ("w=33.3%25&dpr=1.1", "w=36.63%25"), ("dpr=3", ""),
        ("dpr=3&output=png", "output=png"),
    ])
    func `the lengths are multiplied by the pixel ratio`(options: String, expected: String) throws {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        ("w=100%25", ""), ("w=100%25&h=100%25&fit=cover", ""), ("w=50%25&dpr=2&fit=fill", ""),
        ("w=100%25&h=50", "h=50&w=100%25"),
    ])
    func `a hundred percent is no size`(options: String, expected: String) throws {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        ("fit=cover", ""), ("fit=fill&we=0", ""), ("w=5&fit=cover", "w=5"),
        ("h=5&fit=contain&we=0", "h=5&we=0"),
        ("h=5&fit=outside", "h=5"), ("w=5&fit=fill", "w=5"),
        ("w=5&h=6&fit=outside", "fit=outside&h=6&w=5"),
    ])
    func `a fit that makes no difference is not spelt`(options: String, expected: String) throws {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        ("w=5&h=5&a=top", "h=5&w=5"), ("w=5&h=5&fit=fill&a=top", "fit=fill&h=5&w=5"),
        ("w=5&fit=cover&a=top", "w=5"),
        ("w=5&h=5&fit=cover&a=top", "a=top&fit=cover&h=5&w=5"),
        ("w=5&h=5&fit=contain&a=top", "a=top&fit=contain&h=5&w=5"),
        ("w=5&h=5&fit=contain&a=entropy", "fit=contain&h=5&w=5"),
        ("w=5&h=5&fit=cover&a=entropy", "a=entropy&fit=cover&h=5&w=5"),
    ])
    func `an alignment that nothing looks at is not spelt`(options: String, expected: String) throws {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        ("we=0", ""), ("w=50%25&we=0", "w=50%25"), ("w=101%25&we=0", "w=101%25&we=0"),
        ("w=5&we=0", "w=5&we=0"),
        ("w=50%25&h=5&we=0", "h=5&w=50%25&we=0"), ("w=99.5%25&we=0", "w=99.5%25"),
        ("w=100%25&h=50%25&fit=fill&we=0", "fit=fill&h=50%25&w=100%25"),
    ])
    func `enlargement is not spelt where nothing can grow`(options: String, expected: String) throws {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        ("output=png&q=5", "output=png"), ("output=gif&q=5", "output=gif"),
        ("output=jpg&q=5", "output=jpg&q=5"),
        ("q=5", "q=5"), ("output=auto&q=5", "output=auto&q=5"), ("output=jpg&n=5", "output=jpg"),
        ("output=avif&n=-1", "output=avif"), ("output=webp&n=-1", "n=-1&output=webp"),
        ("output=auto&n=2", "n=2&output=auto"),
    ])
    func `quality and frames are not spelt where the format has none`(options: String, expected: String)
        throws
    {
        #expect(try canonical(options) == expected)
    }

    @Test func `canonicalisation changes no plan`() {
        var random = SeededRandom(for: "canonicalisation")
        for _ in 0..<5_000 {
            let recipe = random.recipe()
            let upright = PixelSize(
                width: Int.random(in: 1...6_000, using: &random),
                height: Int.random(in: 1...6_000, using: &random))
            #expect(
                Geometry.plan(upright: upright, recipe: recipe)
                    == Geometry.plan(upright: upright, recipe: recipe.canonicalised))
        }
    }
}
