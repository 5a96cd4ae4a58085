// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

@Suite("Text is written over the picture")
struct TextTests {
    private static let blue: [UInt8] = [0, 0, 200]

    /// The box around the pixels that are not blue any more, and their number.
    private func ink(_ query: String, _ width: Int = 200, _ height: Int = 100) throws -> (
        x: ClosedRange<Int>, y: ClosedRange<Int>, count: Int
    )? {
        let made = try picture(Canvas(width, height, of: Self.blue), query)
        #expect(made.width == width && made.height == height)
        var (xs, ys, count): ([Int], [Int], Int) = ([], [], 0)
        for y in 0..<height {
            for x in 0..<width where Array(made[x, y].prefix(3)) != Self.blue {
                xs.append(x)
                ys.append(y)
                count += 1
            }
        }
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else {
            return nil
        }
        return (left...right, top...bottom, count)
    }

    @Test func `it lies in the middle, and where it is put`() throws {
        let middle = try #require(try ink("text=HHH&tsize=30"))
        #expect(abs(middle.x.lowerBound - (199 - middle.x.upperBound)) <= 1)
        #expect(abs(middle.y.lowerBound - (99 - middle.y.upperBound)) <= 1)
        let corner = try #require(try ink("text=HHH&tsize=30&tpos=br"))
        #expect(corner.x.upperBound >= 198 && corner.y.upperBound >= 98)
        let moved = try #require(try ink("text=HHH&tsize=30&tpos=br&tx=20&ty=10"))
        #expect(moved.x.upperBound == corner.x.upperBound - 20)
        #expect(moved.y.upperBound == corner.y.upperBound - 10)
    }

    @Test func `its letters have their size, with dpr too`() throws {
        let heights = try ["tsize=20", "tsize=40", "tsize=20&dpr=2"].map {
            try #require(try ink("text=H&\($0)")).y.count
        }
        #expect((13...16).contains(heights[0]) && (27...31).contains(heights[1]))
        #expect(heights[2] == heights[1])
    }

    @Test func `its letters have their colour, and are seen through by its alpha`() throws {
        func middle(_ colour: String) throws -> [UInt8] {
            let made = try picture(Canvas(40, 40, of: Self.blue), "text=█&tsize=200&tcol=\(colour)")
            return Array(made[20, 20].prefix(3))
        }
        #expect(try middle("fa0") == [255, 170, 0])
        #expect(distance(try middle("80ff0000"), [128, 0, 100]) <= 2)
        #expect(try middle("00ff0000") == Self.blue)
    }

    @Test func `a long one is broken where the picture ends`() throws {
        let short = try #require(try ink("text=word&tsize=20"))
        let long = try #require(try ink("text=word%20word%20word%20word%20word&tsize=20", 120, 100))
        #expect(long.y.count > 2 * short.y.count && long.x.count <= 120)
        let whole = try #require(try ink("text=\(String(repeating: "w", count: 30))&tsize=20", 120, 100))
        #expect(whole.y.count > 3 * short.y.count)
    }

    @Test func `a line feed begins a line, and a width breaks one`() throws {
        let one = try #require(try ink("text=HHHH&tsize=20"))
        let two = try #require(try ink("text=HHHH%0AH&tsize=20"))
        #expect(two.x == one.x && two.y.count > 2 * one.y.count)
        let broken = try #require(try ink("text=HH%20HH&tsize=20&twidth=40"))
        let part = try #require(try ink("text=HH%20HH&tsize=20&twidth=20%25"))
        #expect(broken.x.count <= 40 && broken.y.count > 2 * one.y.count)
        #expect(part.x == broken.x && part.y == broken.y && part.count == broken.count)
        let whole = try #require(try ink("text=HH%20HH&tsize=20&twidth=400"))
        #expect(whole.x.count > 40 && whole.y.count == one.y.count)
    }

    /// A long line and a short one, which begins as the side demands.
    @Test func `its lines are even at their side`() throws {
        func short(_ side: String) throws -> ClosedRange<Int> {
            let made = try picture(Canvas(200, 100, of: Self.blue), "text=HHHHHH%0A.&tsize=20&talign=\(side)")
            let columns = (0..<200).filter { x in
                (62..<70).contains { Array(made[x, $0].prefix(3)) != Self.blue }
            }
            return (columns.min() ?? 0)...(columns.max() ?? 0)
        }
        let long = try #require(try ink("text=HHHHHH&tsize=20")).x
        let (left, middle, right) = (try short("left"), try short("center"), try short("right"))
        #expect(left.lowerBound < long.lowerBound + 10 && right.upperBound > long.upperBound - 10)
        #expect(abs(middle.lowerBound + middle.upperBound - 199) < 12)
    }

    @Test func `nothing in it is markup`() throws {
        let plain = try #require(try ink("text=%3Cb%3Ea%26amp;%3C/b%3E&tsize=12"))
        let bold = try #require(try ink("text=a&tsize=12"))
        #expect(plain.x.count > 5 * bold.x.count)
    }

    @Test(arguments: [
        "مرحبا بالعالم", "שלום", "👍🏽 👨‍👩‍👧‍👦", "圓周率", "e\u{301}\u{302}\u{303}\u{304}\u{305}", "\u{FDFD}",
        "\u{202E}abc",
        "%", "a+b", "\u{10FFFD}", "नमस्ते", "🏳️‍🌈",
    ])
    func `any script is written, or a box for it`(text: String) throws {
        var recipe = Recipe.make(.png)
        recipe.text = TextOverlay(text)
        let bare = PNGFile.write(Canvas(200, 100, of: Self.blue))
        let written = try TestRenderer.render(bare, recipe).bytes
        #expect(try written != TestRenderer.render(bare, .make(.png)).bytes)
    }

    @Test(arguments: [" ", "\u{200B}\u{200D}", "\u{202E}\u{202C}"])
    func `one that is not seen changes nothing`(text: String) throws {
        var recipe = Recipe.make(.png)
        recipe.text = TextOverlay(text)
        let bare = PNGFile.write(Canvas(200, 100, of: Self.blue))
        let written = try TestRenderer.render(bare, recipe).bytes
        #expect(try written == TestRenderer.render(bare, .make(.png)).bytes)
    }

    @Test func `one too large to be made is refused before it is`() throws {
        var recipe = Recipe.make(.png)
        recipe.text = TextOverlay(String(repeating: "W", count: TextOverlay.longest))
        recipe.text?.size = TextOverlay.sizeRange.upperBound
        let bare = PNGFile.write(Canvas(60, 40, of: Self.blue))
        #expect(try TestRenderer.failure(bare, recipe) == .outputTooLarge(.textPixels(8 << 20)))
        recipe.text?.size = 40
        #expect(try TestRenderer.failure(bare, recipe) == nil)
    }

    @Test func `each frame has it`() throws {
        let (width, height) = (40, 30)
        let frames = [
            [UInt8](repeating: 0, count: width * height), [UInt8](repeating: 1, count: width * height),
        ]
        let file = GIFFile.write(
            width: width, height: height, palette: [[0, 0, 200], [0, 200, 0]], frames: frames,
            delays: [40, 40],
            loop: 0)
        let made = try TestRenderer.render(
            file, Recipe(canonical: "output=png&page=1&text=█&tsize=200&tcol=red"))
        let canvas = try #require(try TestRenderer.decode(made.bytes))
        #expect(distance(Array(canvas[20, 15].prefix(3)), [255, 0, 0]) <= 1)
    }
}
