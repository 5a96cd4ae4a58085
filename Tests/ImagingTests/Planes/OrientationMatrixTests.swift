// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

/// The upright picture: no two places are alike, and no axis is the other's mirror.
private let upright = Canvas(96, 64) { x, y in [UInt8(x * 2 + 20), UInt8(y * 3 + 20), UInt8(20 + x + y)] }

@Suite struct OrientationMatrixTests {
    @Test(
        arguments: 1...8,
        [
            "", "w=48", "h=20", "w=40&h=40", "w=40&h=40&fit=outside", "w=30&h=50&fit=fill",
            "w=40&h=40&fit=cover",
            "w=20&h=50&fit=cover&a=top-right", "w=40&h=20&fit=cover&a=focal&fpx=0.9&fpy=0.1",
            "w=60&h=60&fit=contain&cbg=000", "w=48&cx=10&cy=4&cw=20&ch=20", "cx=50%25&cw=25%25&precrop&w=20",
            "ro=90&w=32",
            "flip&w=48", "flop&h=32", "w=200&we=0", "ro=270&cx=3&cy=5&cw=20&ch=9",
        ])
    func `whatever way the camera was held, the recipe means the picture as it is seen`(
        orientation: Int, query: String
    ) throws {
        let recipe = try Recipe(canonical: "output=png&" + query)
        // Lossless, so that both ways see the same pixels: a TIFF with the orientation tag against one
        // without.
        let turned = try TestRenderer.render(
            TIFFFile.write([.rgb(upright.stored(orientation))], orientation: orientation), recipe)
        let straight = try TestRenderer.render(TIFFFile.write([.rgb(upright)]), recipe)
        let (made, expected) = (
            try #require(try TestRenderer.decode(turned.bytes)),
            try #require(try TestRenderer.decode(straight.bytes))
        )
        try #require(made.size == expected.size)
        let worst = zip(made.samples, expected.samples).map { abs(Int($0) - Int($1)) }.max() ?? 256
        #expect(worst <= 2)
    }

    @Test(arguments: 1...8, ["output=tiff", "output=tiff&q=90", "w=48"])
    func `a TIFF of a picture that was turned does not say that it is to be turned`(
        orientation: Int, query: String
    ) throws {
        let file = TIFFFile.write([.rgb(upright.stored(orientation))], orientation: orientation)
        let header = try #require(try TestRenderer.render(file, Recipe(canonical: query)).header)
        #expect(header.format == .tiff && header.orientation == 1)
        #expect(header.width * 64 == header.height * 96)
    }
}
