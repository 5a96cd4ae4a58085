// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import RandomInputs
import RandomRecipes
import Recipes
import RequestGrammar
import Testing

@Suite("A recipe that asks for no other pixels is told from one that does")
struct PlainCopyTests {
    private static let header = ImageHeader(format: .png, width: 100, height: 80)

    private func leavesPixels(_ options: String, of header: ImageHeader = Self.header) throws -> Bool {
        try Recipe(canonical: options).leavesPixels(of: header)
    }

    @Test(arguments: [
        "", "w=100", "h=80", "w=100&h=80", "w=100&h=80&fit=cover", "w=100&h=80&fit=contain",
        "w=100&h=80&fit=fill",
        "w=4000", "w=4000&h=3000&fit=outside", "w=100%25", "ro=360", "ro=180&flip&flop", "cx=0&cw=100%25",
        "a=top", "a=focal&fpx=0.1&fit=cover&w=100&h=80", "dpr=2", "bg=transparent", "preturn", "we=0",
        "output=webp", "output=png&l=9&af=1", "output=jpg&q=1", "output=webp&ll", "q=auto",
        "output=json&json=average",
        "n=-1", "n=5",
    ])
    func `a size that it has, another format and another quality change no pixel`(options: String) throws {
        #expect(try leavesPixels(options))
    }

    @Test(arguments: [
        "w=99", "h=79", "w=101&we=0", "w=50%25", "w=100&h=79&fit=cover", "w=101&h=80&fit=contain",
        "w=50&h=80&fit=fill", "cx=1", "ch=79", "trim=10", "mask=circle", "ro=90", "ro=180", "ro=0.5", "flip",
        "flop",
        "bg=red", "blur", "sharp", "con=1", "bri=-1", "gam=1.1", "mod=1.1,1,0", "mod=1,0.9,0", "mod=1,1,1",
        "filt=sepia",
        "tint=red", "pad=1", "radius=1", "pixelate=2", "page=1", "output=jpg&il", "output=gif&il",
    ])
    func `whatever is asked for besides is a change`(options: String) throws {
        #expect(try !leavesPixels(options))
    }

    @Test(arguments: [
        ("", 1, true), ("", 3, false), ("n=-1", 3, true), ("n=3", 3, true), ("n=9", 3, true),
        ("n=2", 3, false),
        ("n=-1&page=1", 3, false), ("n=-1&output=webp", 3, true), ("n=-1&output=png", 3, false),
        ("loop=2&n=-1", 3, false), ("delay=100&n=-1", 3, false),
    ])
    func `of an animation all frames must be taken, with their timing`(
        options: String, frames: Int, leaves: Bool
    )
        throws
    {
        let header = ImageHeader(format: .gif, width: 100, height: 80, pages: frames)
        #expect(try leavesPixels(options, of: header) == leaves)
    }

    @Test func `the size is that of the picture as it is meant to be seen`() throws {
        let lying = ImageHeader(format: .jpeg, width: 100, height: 80, orientation: 6)
        #expect(try leavesPixels("w=80", of: lying))
        #expect(try !leavesPixels("w=79", of: lying))
        #expect(try leavesPixels("h=100&we=0", of: lying))
        #expect(try !leavesPixels("w=100&we=0", of: lying))
    }

    @Test func `a picture that is left alone keeps its size`() {
        var random = SeededRandom(for: "plain copies")
        var found = 0
        for _ in 0..<20_000 {
            var recipe = Recipe()
            let asked = random.recipe()
            if random.chance(50) { (recipe.width, recipe.height) = (asked.width, asked.height) }
            if random.chance(50) {
                (recipe.fit, recipe.withoutEnlargement) = (asked.fit, asked.withoutEnlargement)
            }
            if random.chance(20) { recipe.rotation = asked.rotation }
            if random.chance(20) { recipe.crop = asked.crop }
            let header = ImageHeader(
                format: .jpeg, width: Int.random(in: 1...400, using: &random),
                height: Int.random(in: 1...400, using: &random),
                orientation: Int.random(in: 1...8, using: &random))
            guard recipe.leavesPixels(of: header) else { continue }
            found += 1
            #expect(recipe.resultSize(for: header) == header.upright, "\(recipe.canonical)")
        }
        #expect(found > 1_000)
    }

    // MARK: What is learnt from the pixels

    @Test func `an inspection tells of the source's page, and of nothing that is done to it`() throws {
        let asked = try Recipe(
            canonical:
                "blur=5&fit=cover&flip=1&h=50&json=average,srcset,thumbhash&output=json&page=2&q=5&ro=90&w=100"
        )
        #expect(asked.inspection.canonical == "json=average,thumbhash&output=json&page=2")
        for (options, expected) in [
            ("output=json", "output=json"), ("json=srcset&output=json", "output=json"),
            ("json=average&output=json&w=5", "json=average&output=json"),
            ("json=thumbhash&output=json", "json=thumbhash&output=json"),
        ] {
            #expect(try Recipe(canonical: options).inspection.canonical == expected)
        }
    }

    @Test func `each thing that JSON may tell besides has its name`() {
        #expect(JSONExtras.names.map(\.name) == ["average", "blurhash", "dominant", "srcset", "thumbhash"])
        #expect(JSONExtras.names.map(\.member) == [.average, .blurhash, .dominant, .srcset, .thumbhash])
        let members: [JSONExtras] = [.thumbhash, .average, .srcset, .blurhash, .dominant]
        for (index, member) in members.enumerated() {
            #expect(!member.isEmpty)
            for other in members[(index + 1)...] { #expect(member.isDisjoint(with: other)) }
        }
    }
}
