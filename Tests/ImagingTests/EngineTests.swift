// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

@Suite struct EngineTests {
    @Test func `the engine says which libvips it is`() {
        Studio.alone { #expect(Engine.version(jpegLane: false).hasPrefix("libvips 8.")) }
    }

    @Test func `nothing is printed and nothing is held, whatever comes`() throws {
        let png = PNGFile.write(gradient(100, 100))
        let cut = Array(png.prefix(png.count / 2))
        let header = try ImageHeader.parse(png)
        for _ in 0..<20 {
            _ = try Studio.make(png, .make(.webp, w: 30, h: 50, .cover, .entropy))
            _ = try Studio.failure(cut, .make(.jpeg, w: 50), header: header)
        }
        #expect(Studio.pixelsLeft() == 0)
    }

    @Test func `the times add up to something`() throws {
        let made = try Studio.make(PNGFile.write(gradient(300, 300)), .make(.webp, w: 200))
        #expect(made.result.decoding > 0)
        #expect(made.result.encoding > 0)
    }

    @Test func `the same job makes the same bytes`() throws {
        let png = PNGFile.write(gradient(300, 200))
        for format in [ImageFormat.jpeg, .png, .webp, .avif, .gif] {
            let recipe = Recipe.make(format, w: 100)
            #expect(try Studio.make(png, recipe).bytes == Studio.make(png, recipe).bytes)
        }
    }
}
