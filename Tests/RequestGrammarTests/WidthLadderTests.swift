// SPDX-License-Identifier: Apache-2.0

import Dialects
import RandomInputs
import Recipes
import RequestGrammar
import Testing

@Suite("A ladder of widths leaves few sizes of a picture")
struct WidthLadderTests {
    private static let source = "url=https://a.example/1.jpg"
    private let vocabulary: Vocabulary

    init() throws {
        vocabulary = try Vocabulary(
            presets: ["thumb=w=200&h=150&fit=cover"], watermarks: [],
            ladder: WidthLadder([1280, 64, 320, 640, 320]))
    }

    private func native(_ options: String) throws -> String {
        try ImageRequest.parse(query: "\(Self.source)&\(options)", vocabulary: vocabulary).recipe.canonical
    }

    private func weserv(_ options: String) throws -> Recipe {
        try ImageRequest.parse(weserv: "\(Self.source)&\(options)".utf8, vocabulary: vocabulary).recipe
    }

    @Test(arguments: [
        ("w=1", "w=64"), ("w=64", "w=64"), ("w=65", "w=320"), ("w=321", "w=640"), ("w=1280", "w=1280"),
        // Beyond the last there is nothing.
        ("w=1281", "w=1280"), ("w=16384", "w=1280"),
        // What is asked for are pixels of the screen.
        ("w=160&dpr=2", "w=320"), ("w=161&dpr=2", "w=640"), ("w=100&dpr=0.5", "w=64"),
        ("h=300", "h=320"), ("h=2000", "h=1280"),
        ("w=1%25", "w=10%25"), ("w=10%25", "w=10%25"), ("w=10.0001%25", "w=20%25"), ("w=91%25", ""),
        ("h=33%25&dpr=2", "h=70%25"), ("w=101%25&we=0", "w=110%25&we=0"),
        ("w=1000%25&we=0", "w=1000%25&we=0"),
        ("blur=5", "blur=5"), ("", ""),
    ])
    func `what is asked for gets the next step up`(asked: String, made: String) throws {
        #expect(
            try native(asked) == (try ImageRequest.parse(query: "\(Self.source)&\(made)").recipe.canonical))
    }

    @Test(arguments: [
        ("w=160&h=90&fit=cover", "w=320&h=180&fit=cover"), ("w=300&h=300&fit=fill", "w=320&h=320&fit=fill"),
        ("w=100&h=50&dpr=2&fit=contain", "w=320&h=160&fit=contain"), ("w=2560&h=1440", "w=1280&h=720"),
        ("w=300&h=1", "w=320&h=1"), ("w=50%25&h=20%25&fit=cover", "w=50%25&h=20%25&fit=cover"),
        ("w=25%25&h=100", "w=30%25&h=120"), ("w=16384&h=1", "w=1280&h=1"),
    ])
    func `the other side is scaled along, so that the box keeps its shape`(asked: String, made: String) throws
    {
        #expect(
            try native(asked) == (try ImageRequest.parse(query: "\(Self.source)&\(made)").recipe.canonical))
    }

    @Test(arguments: [
        // Scaled along, the height would be more than may be asked for.
        "w=65&h=16384&fit=cover", "w=5%25&h=999%25&we=0&fit=fill",
        // These pixels are those of a picture of just that width.
        "w=300&cx=10&cw=50", "w=300&ch=50", "preset=thumb",
    ])
    func `what has a shape or pixels of its own stays as it was asked for`(options: String) throws {
        let plain = try Vocabulary(presets: ["thumb=w=200&h=150&fit=cover"], watermarks: [])
        #expect(
            try native(options)
                == ImageRequest.parse(query: "\(Self.source)&\(options)", vocabulary: plain).recipe.canonical)
    }

    @Test func `a crop before the resize, or in percent, changes nothing about it`() throws {
        #expect(try native("w=300&cw=50&precrop").contains("w=320"))
        #expect(try native("w=300&cw=50%25").contains("w=320"))
    }

    @Test func `a preset's size is the operator's, unless the query has a word in it`() throws {
        #expect(try native("preset=thumb&dpr=1.5") == native("w=320&h=240&fit=cover"))
        #expect(try native("preset=thumb&w=100") == native("w=100&h=150&fit=cover"))
        #expect(try native("preset=thumb&q=50").contains("w=200"))
    }

    @Test func `the weserv dialect climbs it too, and Next's has its own list`() throws {
        #expect(try weserv("w=300&h=200&fit=cover").width == .pixels(320))
        #expect(try weserv("w=300&h=200&fit=cover").height == .pixels(213))
        #expect(try weserv("w=100&dpr=2").width == .pixels(320))
        let next = try ImageRequest.parse(
            next: "\(Self.source)&w=300&q=75".utf8, rules: NextRules(widths: [300]))
        #expect(next.recipe.width == .pixels(300))
    }

    @Test func `climbing twice is climbing once`() throws {
        let ladder = WidthLadder([64, 320, 640, 1280])
        var chance = SeededRandom(for: "climbing twice")
        for _ in 0..<2_000 {
            let recipe = chance.recipe()
            let once = ladder.climbed(by: recipe)
            #expect(ladder.climbed(by: once) == once, "\(recipe.canonical)")
        }
    }
}
