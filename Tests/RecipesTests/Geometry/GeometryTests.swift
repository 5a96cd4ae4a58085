// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Recipes
import RequestGrammar
import Testing

@Suite struct GeometryTests {
    private func plan(_ options: String, of width: Int, _ height: Int) throws -> Geometry {
        try Geometry.plan(
            upright: PixelSize(width: width, height: height), recipe: Recipe(canonical: options))
    }

    private func whole(_ width: Int, _ height: Int) -> Geometry {
        let size = PixelSize(width: width, height: height)
        return Geometry(resized: size, canvas: size, placement: .whole)
    }

    @Test func `nothing asked for is the original size`() throws {
        #expect(try plan("", of: 2_725, 2_225) == whole(2_725, 2_225))
    }

    /// The sizes that weserv/images and sharp document for their sample of 2725 × 2225.
    @Test(arguments: [
        ("w=320", 320, 261), ("h=320", 392, 320), ("w=320&h=320", 320, 261), ("w=3000&we=0", 3_000, 2_450),
        ("w=3000", 2_725, 2_225), ("fit=outside&w=320&h=240", 320, 261),
        ("fit=outside&w=240&h=320", 392, 320),
        ("fit=fill&w=320&h=320", 320, 320), ("fit=fill&h=320", 392, 320), ("fit=fill&w=320", 320, 261),
        ("fit=fill&w=3000&we=0", 3_000, 2_450), ("fit=fill&h=3000&we=0", 3_674, 3_000),
        ("fit=fill&w=3000&h=320&we=0", 3_000, 320), ("fit=fill&w=3000&h=320", 2_725, 320),
        ("fit=cover&w=3000&h=3000", 2_725, 2_225), ("fit=cover&w=2800", 2_725, 2_225),
        ("w=50%25", 1_363, 1_113), ("w=50%25&h=10%25", 273, 223), ("w=200%25&we=0", 5_450, 4_450),
        ("w=160&dpr=2", 320, 261),
    ])
    func `a picture without crop or canvas has these sides`(options: String, width: Int, height: Int) throws {
        #expect(try plan(options, of: 2_725, 2_225) == whole(width, height))
    }

    @Test(arguments: [
        ("w=2", 9_999, 1, 2, 1), ("h=2", 1, 9_999, 1, 2), ("w=1&h=1", 9_999, 1, 1, 1),
        ("w=0.01%25", 20, 20, 1, 1),
    ])
    func `no side vanishes`(options: String, width: Int, height: Int, newWidth: Int, newHeight: Int) throws {
        #expect(try plan(options, of: width, height) == whole(newWidth, newHeight))
    }

    @Test(arguments: [
        ("w=640", 1_024, 683, 640, 427), ("w=5", 10, 5, 5, 3), ("w=5", 10, 4, 5, 2), ("h=213", 3, 1, 3, 1),
    ])
    func `halves are rounded up`(options: String, width: Int, height: Int, newWidth: Int, newHeight: Int)
        throws
    {
        #expect(try plan(options, of: width, height) == whole(newWidth, newHeight))
    }

    @Test(arguments: [
        ("", 80, 0), ("&a=top", 80, 0), ("&a=left", 0, 0), ("&a=right", 160, 0), ("&a=top-left", 0, 0),
        ("&a=bottom-right", 160, 0),
    ])
    func `cover takes the box from where the alignment says`(alignment: String, x: Int, y: Int) throws {
        let geometry = try plan("fit=cover&w=160&h=240\(alignment)", of: 640, 480)
        #expect(geometry.resized == PixelSize(width: 320, height: 240))
        #expect(geometry.canvas == PixelSize(width: 160, height: 240))
        #expect(geometry.placement == .crop(x: x, y: y))
    }

    @Test func `an odd rest goes behind, of cover and of contain`() throws {
        #expect(try plan("fit=cover&w=5&h=8", of: 8, 8).placement == .crop(x: 1, y: 0))
        #expect(try plan("fit=contain&w=8&h=5", of: 5, 5).placement == .embed(x: 1, y: 0))
    }

    @Test func `cover can look for what is interesting`() throws {
        #expect(try plan("fit=cover&w=80&h=320&a=entropy", of: 2_725, 2_225).placement == .cropByEntropy)
        #expect(try plan("fit=cover&w=80&h=320&a=attention", of: 2_725, 2_225).placement == .cropByAttention)
        #expect(try plan("fit=cover&w=50&h=50&a=attention", of: 100, 100) == whole(50, 50))
    }

    @Test func `cover of a picture that is too small takes what there is of the box`() throws {
        let geometry = try plan("fit=cover&w=200&h=200", of: 100, 1_000)
        #expect(geometry.resized == PixelSize(width: 100, height: 1_000))
        #expect(geometry.canvas == PixelSize(width: 100, height: 200))
        #expect(geometry.placement == .crop(x: 0, y: 400))
        let enlarged = try plan("fit=cover&w=200&h=200&we=0", of: 100, 1_000)
        #expect(enlarged.resized == PixelSize(width: 200, height: 2_000))
        #expect(enlarged.canvas == PixelSize(width: 200, height: 200))
    }

    /// For a picture of 400 by 300: the size after the resize, and the canvas.
    @Test(arguments: [
        ("fit=cover&w=800&h=800", 400, 300, 300, 300), ("fit=cover&w=200&h=100", 200, 150, 200, 100),
        ("fit=cover&w=100&h=900", 400, 300, 33, 300), ("fit=cover&w=300&h=400&a=left", 400, 300, 225, 300),
        ("fit=cover&w=1920&h=1120&a=top", 400, 300, 400, 233), ("fit=auto&w=800&h=600", 400, 300, 400, 300),
        ("fit=contain&w=800&h=800", 400, 300, 400, 400), ("fit=contain&w=200&h=200", 200, 150, 200, 200),
        ("fit=contain&w=1600&h=900", 400, 300, 533, 300), ("fit=contain&w=400&h=900", 400, 300, 400, 900),
    ])
    func `a box that shrinks keeps its shape around or within a picture that is too small`(
        options: String, width: Int, height: Int, across: Int, down: Int
    ) throws {
        let geometry = try plan("\(options)&shrinkbox", of: 400, 300)
        #expect(geometry.resized == PixelSize(width: width, height: height))
        #expect(geometry.canvas == PixelSize(width: across, height: down))
    }

    /// Landscape is cut to a landscape box, and fitted into a portrait one.
    @Test(arguments: [
        (400, 300, "w=200&h=100", 200, 100), (400, 300, "w=100&h=200", 100, 75),
        (300, 400, "w=100&h=200", 100, 200), (300, 400, "w=200&h=100", 75, 100),
        (300, 300, "w=200&h=100", 200, 100), (300, 300, "w=100&h=200", 100, 100),
        (400, 300, "w=200&h=200", 200, 200), (400, 300, "w=200", 200, 150),
    ])
    func `auto cuts to a box that lies as the picture does`(
        width: Int, height: Int, options: String, across: Int, down: Int
    ) throws {
        let canvas = try plan("fit=auto&\(options)", of: width, height).canvas
        #expect(canvas == PixelSize(width: across, height: down))
    }

    @Test(arguments: [
        ("w=200", 400, 300), ("w=200&h=300", 400, 300), ("w=800&we=0", 800, 600), ("w=800", 400, 300),
        ("w=800&h=900&we=0", 800, 600), ("fit=fill&w=200&h=900&we=0", 400, 900),
        ("fit=outside&w=200&h=450&we=0", 600, 450),
    ])
    func `without reduction no side becomes shorter`(options: String, width: Int, height: Int) throws {
        #expect(try plan("\(options)&wr", of: 400, 300) == whole(width, height))
    }

    @Test func `what may not shrink is still cut, or lies on a canvas that is as large`() throws {
        #expect(
            try plan("fit=cover&w=200&h=100&wr", of: 400, 300).canvas == PixelSize(width: 200, height: 100))
        #expect(
            try plan("fit=contain&w=200&h=500&wr", of: 400, 300).canvas == PixelSize(width: 400, height: 500))
    }

    @Test(arguments: [
        ("", 120, 160), ("&a=top", 120, 0), ("&a=bottom", 120, 320), ("&a=left", 0, 160),
        ("&a=bottom-right", 240, 320),
    ])
    func `contain puts a picture that is too small on the whole box`(alignment: String, x: Int, y: Int) throws
    {
        let geometry = try plan("fit=contain&w=560&h=560\(alignment)", of: 320, 240)
        #expect(geometry.resized == PixelSize(width: 320, height: 240))
        #expect(geometry.canvas == PixelSize(width: 560, height: 560))
        #expect(geometry.placement == .embed(x: x, y: y))
    }

    @Test func `contain scales a picture into the box`() throws {
        let geometry = try plan("fit=contain&w=320&h=320", of: 2_725, 2_225)
        #expect(geometry.resized == PixelSize(width: 320, height: 261))
        #expect(geometry.placement == .embed(x: 0, y: 29))
        #expect(try plan("fit=contain&w=320&h=261", of: 2_725, 2_225) == whole(320, 261))
        let enlarged = try plan("fit=contain&w=320&h=240&we=0", of: 2, 2)
        #expect(enlarged.resized == PixelSize(width: 240, height: 240))
        #expect(enlarged.placement == .embed(x: 40, y: 0))
    }

    /// A picture of 400 by 300, which is not enlarged.
    @Test(arguments: [
        ("w=800", 800, 300, 200, 0), ("h=600", 400, 600, 0, 150), ("w=800&a=left", 800, 300, 0, 0),
        ("h=600&a=bottom&ay=20", 400, 600, 0, 280), ("w=150%25", 600, 300, 100, 0),
        ("w=800&ro=90&preturn", 800, 400, 250, 0), ("w=500&minh=300", 500, 300, 50, 0),
    ])
    func `contain with one side puts a picture that is too small on a canvas as long`(
        options: String, width: Int, height: Int, x: Int, y: Int
    ) throws {
        let geometry = try plan("fit=contain&\(options)", of: 400, 300)
        #expect(geometry.resized == PixelSize(width: 400, height: 300))
        #expect(geometry.canvas == PixelSize(width: width, height: height))
        #expect(geometry.placement == .embed(x: x, y: y))
    }

    @Test(arguments: [
        ("w=200", 200, 150), ("h=150", 200, 150), ("w=800&we=0", 800, 600), ("w=400", 400, 300),
    ])
    func `contain with one side leaves no bars beside what fills it`(options: String, width: Int, height: Int)
        throws
    {
        #expect(try plan("fit=contain&\(options)", of: 400, 300) == whole(width, height))
    }

    @Test func `a side that the encoder cannot write is told`() throws {
        let geometry = try plan("w=16384&we=0", of: 16_384, 16_384)
        #expect(geometry.limitExceeded(writing: .webp) == 16_383)
        #expect(geometry.limitExceeded(writing: .jpeg) == nil)
        #expect(try plan("w=16384&we=0", of: 1, 100).limitExceeded(writing: .jpeg) == 65_500)
        #expect(try plan("fit=cover&w=16384&h=1&we=0", of: 1, 100).limitExceeded(writing: .png) == 65_535)
    }

    @Test func `absurd pictures and recipes do not trap`() throws {
        for side in [Int.min, -1, 0, 1, Int(Int32.max), Int.max] {
            for options in [
                "", "w=16384&we=0", "w=1000%25&h=1000%25&fit=fill&we=0", "h=1&w=1&fit=outside", "w=0.01%25",
            ] {
                let geometry = try plan(options, of: side, 1)
                #expect(geometry.canvas.width >= 1 && geometry.canvas.height >= 1)
            }
        }
    }
}
