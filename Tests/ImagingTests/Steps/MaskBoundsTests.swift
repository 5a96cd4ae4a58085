// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

@Suite("The size of what a mask leaves is arithmetic")
struct MaskBoundsTests {
    @Test(arguments: Mask.Shape.allCases)
    func `it is that of the line by which the picture is cut`(shape: Mask.Shape) {
        for width in Array(1...60) + [100, 101, 640, 1_999, 16_384] {
            for height in [1, 2, 3, 7, 16, 33, 50, 100, 101, 480, 2_000] {
                let size = PixelSize(width: width, height: height)
                #expect(shape.bounds(in: size) == Outline(shape, in: size).bounds.size, "\(width) \(height)")
            }
        }
    }

    @Test(
        arguments: Mask.Shape.allCases.map(\.rawValue),
        ["", "w=40&", "ro=90&", "pad=3&", "cx=10&cw=20&ch=30&"])
    func `the result has it`(shape: String, options: String) throws {
        let file = PNGFile.write(gradient(120, 80))
        let recipe = try Recipe(canonical: options + "mask=\(shape)&mtrim&output=png")
        let made = try TestRenderer.render(file, recipe).result
        #expect(
            PixelSize(width: made.width, height: made.height)
                == recipe.resultSize(for: try ImageHeader.parse(file)))
    }
}
