// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

private let width = 24
private let height = 16
private let red: [UInt8] = [220, 20, 20]
private let green: [UInt8] = [20, 200, 30]
private let blue: [UInt8] = [30, 40, 220]
private let yellow: [UInt8] = [230, 220, 30]

/// What a browser shows: the screen after each part is drawn, four samples a pixel.
private func screens(_ parts: [GIFFile.Part], palette: [[UInt8]]) -> [Canvas] {
    var screen = [[UInt8]](repeating: [0, 0, 0, 0], count: width * height)
    return parts.map { part in
        let before = screen
        let colours = part.palette ?? palette
        for y in 0..<part.height {
            for x in 0..<part.width {
                let index = part.indices[y * part.width + x]
                if index == part.transparent { continue }
                screen[(part.top + y) * width + part.left + x] = colours[Int(index)] + [255]
            }
        }
        let shown = Canvas(width: width, height: height, bands: 4, samples: screen.flatMap { $0 })
        if part.disposal == 3 { screen = before }
        if part.disposal == 2 {
            for y in part.top..<part.top + part.height {
                for x in part.left..<part.left + part.width { screen[y * width + x] = [0, 0, 0, 0] }
            }
        }
        return shown
    }
}

private func part(
    _ x: Int, _ y: Int, _ width: Int, _ height: Int, index: UInt8, disposal: UInt8 = 1,
    palette: [[UInt8]]? = nil, hole: UInt8? = nil
) -> GIFFile.Part {
    // With a hole, every third pixel is transparent.
    let indices = (0..<width * height).map { hole != nil && $0 % 3 == 0 ? hole ?? 0 : index }
    return GIFFile.Part(
        left: x, top: y, width: width, height: height, indices: indices, palette: palette,
        disposal: disposal, transparent: hole)
}

private let animations: [String: [GIFFile.Part]] = [
    "parts on what was there": [
        part(0, 0, width, height, index: 0), part(4, 3, 8, 6, index: 1), part(10, 8, 7, 5, index: 2),
    ],
    "parts that are cleared": [
        part(0, 0, width, height, index: 0), part(4, 3, 8, 6, index: 1, disposal: 2),
        part(10, 8, 7, 5, index: 2), part(0, 0, 2, 2, index: 3),
    ],
    "a first frame that is cleared": [
        part(0, 0, width, height, index: 0, disposal: 2), part(4, 3, 8, 6, index: 1, disposal: 2),
        part(6, 6, 4, 4, index: 2),
    ],
    "a first frame after which the empty screen comes back": [
        part(0, 0, width, height, index: 0, disposal: 3), part(4, 3, 8, 6, index: 1),
        part(10, 8, 7, 5, index: 2),
    ],
    "a frame after which the cleared screen comes back": [
        part(0, 0, width, height, index: 0, disposal: 2),
        part(0, 0, width, height, index: 1, disposal: 3), part(4, 3, 8, 6, index: 2),
    ],
    "frames after which the empty screen comes back": [
        part(0, 0, width, height, index: 0, disposal: 3),
        part(0, 0, width, height, index: 1, disposal: 3), part(4, 3, 8, 6, index: 2),
    ],
    "parts after which the screen comes back": [
        part(0, 0, width, height, index: 0), part(4, 3, 8, 6, index: 1, disposal: 3),
        part(6, 6, 8, 8, index: 2, disposal: 3), part(0, 12, 5, 4, index: 3),
    ],
    "holes that let the screen through": [
        part(0, 0, width, height, index: 0), part(2, 2, 12, 9, index: 1, hole: 5),
        part(8, 5, 12, 9, index: 2, disposal: 2, hole: 5), part(1, 1, 3, 3, index: 3, hole: 5),
    ],
    "palettes of their own": [
        part(0, 0, width, height, index: 0), part(4, 3, 8, 6, index: 0, palette: [yellow, red]),
        part(10, 8, 7, 5, index: 1, palette: [red, blue]),
    ],
    "a first part that leaves the screen empty around it": [
        part(6, 4, 10, 8, index: 0), part(4, 3, 4, 4, index: 1),
    ],
]

@Suite("Frames are what a browser shows, not what a file stores")
struct CompositionTests {
    private static let palette = [red, green, blue, yellow]

    /// Lossless, so that the encoder causes no difference.
    private static func webp() -> Recipe {
        var recipe = Recipe.make(.webp, n: -1)
        recipe.lossless = true
        return recipe
    }

    /// Where the two differ: pixels must be equally transparent, and visible ones of the same colour.
    private static func differences(_ made: Canvas, _ shown: Canvas, within tolerance: Int) -> [String] {
        (0..<width * height).compactMap { index in
            let (x, y) = (index % width, index / width)
            let (found, expected) = (made[x, y], shown[x, y])
            let alpha = found.count == 4 ? found[3] : 255
            let isAlike =
                expected[3] == 0 || distance(Array(found.prefix(3)), Array(expected.prefix(3))) <= tolerance
            return alpha == expected[3] && isAlike ? nil : "\(x), \(y): \(found), not \(expected)"
        }
    }

    @Test(arguments: animations.keys.sorted())
    func `a GIF's frames arrive in WebP, and from there in GIF`(name: String) throws {
        let parts = try #require(animations[name])
        let expected = screens(parts, palette: Self.palette)
        let gif = GIFFile.write(width: width, height: height, palette: Self.palette, parts: parts, loop: 0)
        let webp = try TestRenderer.render(gif, Self.webp())
        let back = try TestRenderer.render(webp.bytes, .make(.gif, n: -1))
        let again = try TestRenderer.render(gif, .make(.gif, n: -1, q: nil))
        for (index, shown) in expected.enumerated() {
            for (way, made) in [("to WebP", webp), ("and back", back), ("to GIF", again)] {
                let frame = try #require(try TestRenderer.decode(made.bytes, frame: index))
                let differences = Self.differences(frame, shown, within: way == "to WebP" ? 0 : 12)
                #expect(
                    differences.isEmpty, "\(way), frame \(index): \(differences.count): \(differences[0])")
            }
        }
        #expect(
            [webp.result.pages, back.result.pages, again.result.pages]
                == Array(repeating: parts.count, count: 3))
    }

    @Test(arguments: animations.keys.sorted())
    func `any frame can be the first, and a still`(name: String) throws {
        let parts = try #require(animations[name])
        let expected = screens(parts, palette: Self.palette)
        let gif = GIFFile.write(width: width, height: height, palette: Self.palette, parts: parts)
        for index in expected.indices {
            var recipe = Recipe.make(.png)
            recipe.page = index
            let still = try TestRenderer.render(gif, recipe)
            let frame = try #require(try TestRenderer.decode(still.bytes))
            let differences = Self.differences(frame, expected[index], within: 0)
            #expect(differences.isEmpty, "frame \(index): \(differences.count): \(differences[0])")
        }
    }

    @Test func `a still smaller than its screen is transparent around, whatever it says`() throws {
        let parts = [part(6, 4, 10, 8, index: 0)]
        let shown = screens(parts, palette: Self.palette)[0]
        var gif = GIFFile.write(width: width, height: height, palette: Self.palette, parts: parts)
        // The graphic control extension, which follows the screen and its 16 colours.
        gif.removeSubrange(61..<69)
        let still = try TestRenderer.render(gif, .make(.png))
        let frame = try #require(try TestRenderer.decode(still.bytes))
        let differences = Self.differences(frame, shown, within: 0)
        #expect(differences.isEmpty, "\(differences.count): \(differences[0])")
    }

    @Test func `each frame is cropped, padded and turned by itself`() throws {
        let parts = [
            part(0, 0, width, height, index: 0), part(12, 0, 12, 8, index: 1), part(8, 8, 10, 8, index: 2),
        ]
        let gif = GIFFile.write(width: width, height: height, palette: Self.palette, parts: parts, loop: 0)
        var recipe = Self.webp()
        (recipe.width, recipe.height, recipe.fit) = (.pixels(12), .pixels(16), .cover)
        recipe.alignment = .right
        let made = try TestRenderer.render(gif, recipe)
        #expect((made.result.width, made.result.height, made.result.pages) == (12, 16, 3))
        let last = try #require(try TestRenderer.decode(made.bytes, frame: 2))
        #expect(Array(last[6, 2].prefix(3)) == green)
        #expect(Array(last[3, 12].prefix(3)) == blue)
        #expect(Array(last[8, 12].prefix(3)) == red)
        let first = try #require(try TestRenderer.decode(made.bytes, frame: 0))
        #expect(Array(first[6, 2].prefix(3)) == red)
    }
}
