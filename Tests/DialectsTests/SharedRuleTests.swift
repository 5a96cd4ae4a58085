// SPDX-License-Identifier: Apache-2.0

import Dialects
import RandomInputs
import Recipes
import RequestGrammar
import Testing

@Suite("What holds for every dialect alike, or for all but one")
struct SharedRuleTests {
    @Test func `the weserv dialect climbs the ladder of widths, and Next's has its own list`() throws {
        let vocabulary = try Vocabulary(presets: [], watermarks: [], ladder: WidthLadder([64, 320, 640]))
        func weserv(_ options: String) throws -> Recipe {
            try ImageRequest.parse(weserv: "url=a.example&\(options)".utf8, vocabulary: vocabulary).recipe
        }
        #expect(try weserv("w=300&h=200&fit=cover").width == .pixels(320))
        #expect(try weserv("w=300&h=200&fit=cover").height == .pixels(213))
        #expect(try weserv("w=100&dpr=2").width == .pixels(320))
        let next = try ImageRequest.parse(
            next: "url=https://a.example/1.jpg&w=300&q=75".utf8, rules: NextRules(widths: [300]))
        #expect(next.recipe.width == .pixels(300))
    }

    @Test func `the largest size holds for all dialects but Next's`() throws {
        var vocabulary = try Vocabulary(presets: [], watermarks: [], ladder: WidthLadder([320, 640]))
        vocabulary.limit = SizeLimit(width: 400, height: 300)
        let asked = "url=a.example&w=500&h=200&fit=cover"
        for recipe in [
            try ImageRequest.parse(query: asked, vocabulary: vocabulary).recipe,
            try ImageRequest.parse(weserv: asked.utf8, vocabulary: vocabulary).recipe,
        ] {
            // Up to the ladder's step, and down to the limit.
            #expect(recipe.width == .pixels(400) && recipe.height == .pixels(160))
        }
        let next = try ImageRequest.parse(
            next: "url=https://a.example/1.jpg&w=640&q=75".utf8, rules: NextRules(widths: [640]))
        #expect(next.recipe.width == .pixels(640))
    }

    @Test func `every dialect reads the same out of a query's canonical form`() throws {
        var random = SeededRandom(for: "canonical query, read by dialects")
        let rules = NextRules()
        for _ in 0..<300 {
            var pieces = [
                ["url=https://host.example/a+b.jpg?x=1%26y=%41", "url=https%3A%2F%2Fhost.example%2F%7eu"]
                    .randomElement(using: &random) ?? "",
                ["w=10", "%77=10", "w=%31%30"].randomElement(using: &random) ?? "",
                ["q=5", "%71=5"].randomElement(using: &random) ?? "",
            ]
            if random.chance(30) { pieces.append("fit=cover") }
            if random.chance(30) { pieces.append("sig=abc") }
            if random.chance(20) { pieces.append("w=20") }
            let query = Array(pieces.shuffled(using: &random).joined(separator: "&").utf8)
            let form = CanonicalQuery(query).bytes
            let texts = "\(String(decoding: query, as: UTF8.self))"
            let asked = try? ImageRequest.parse(next: query, rules: rules)
            #expect((try? ImageRequest.parse(next: form, rules: rules)) == asked, "\(texts)")
            let weserv = try? ImageRequest.parse(weserv: query)
            #expect((try? ImageRequest.parse(weserv: form)) == weserv, "\(texts)")
        }
    }
}
