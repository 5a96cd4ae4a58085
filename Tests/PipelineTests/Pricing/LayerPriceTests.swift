// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Pipeline
import Recipes
import RequestGrammar
import Testing

@Suite("Drawings and watermarks are paid for in the size that they are made in")
struct LayerPriceTests {
    private let megabyte = 1_000_000

    // By `vips copy`, an SVG with two shapes takes 106 MB more in 4,000 × 4,000 pixels than in 500 × 500.
    @Test func `a drawing is paid for in the size that it is made in`() throws {
        func price(_ side: Int, _ recipe: String) throws -> Int {
            JobPrice.bytes(
                header: ImageHeader(format: .svg, width: side, height: side),
                recipe: try Recipe(canonical: recipe))
        }
        let (small, large) = ("h=500&output=jpg&w=500&we=0", "h=4000&output=jpg&w=4000&we=0")
        let grown = try price(100, large)
        #expect(try grown >= price(100, small) + 106 * megabyte)
        // The size that an SVG names is only a number in its file.
        #expect(try price(8_000, large) == grown)
        #expect(try price(8_000, "output=jpg&w=100") < 50 * megabyte)
        #expect(try price(0, large) >= 128 * megabyte)
        // An SVG is rendered in its own shape before it is squeezed, and in its own size if it is cut first.
        #expect(try price(100, "fit=fill&h=10&output=jpg&w=4000&we=0") >= 128 * megabyte)
        #expect(try price(4_000, "output=jpg&trim=10&w=100") >= 128 * megabyte)
        #expect(try price(.max, "output=jpg&w=100") >= 0)
    }

    // 3,000 × 1,333 pixels, resized by half, take 50 MB, including the fixed part of any job.
    @Test func `a drawing whose size nobody knows is paid for in the largest that is scaled`() throws {
        func price(_ side: Int, _ recipe: String) throws -> Int {
            JobPrice.bytes(
                header: ImageHeader(format: .svg, width: side, height: side, hasAlpha: true),
                recipe: try Recipe(canonical: recipe))
        }
        for recipe in ["output=jpg&w=10", "output=jpg&trim=10&w=10", "cw=10&output=jpg&precrop=1&w=10"] {
            let extra = try price(0, recipe) - price(10, recipe)
            #expect((31 * megabyte...33 * megabyte).contains(extra), "\(recipe)")
        }
        let small = "h=100&output=jpg&w=100"
        #expect(try watermark(.svg, 0, small) >= watermark(.svg, 10, small) + 31 * megabyte)
        // The picture has more pixels than the watermark.
        #expect(try watermark(.svg, 0) == watermark(.svg, 10))
    }

    private func watermark(_ format: ImageFormat, _ side: Int, _ recipe: String = "output=jpg") throws -> Int
    {
        let header = ImageHeader(format: .jpeg, width: 3_000, height: 3_000)
        let mark = ImageHeader(format: format, width: side, height: side, hasAlpha: true)
        let recipe = try Recipe(canonical: recipe)
        return JobPrice.bytes(header: header, recipe: recipe, watermark: mark)
            - JobPrice.bytes(header: header, recipe: recipe)
    }

    @Test func `a watermark that is a drawing may fill the picture`() throws {
        let plain = try watermark(.webp, 10)
        // 3,000 × 3,000 pixels take 62 MB, and any SVG 12 MiB.
        #expect(try watermark(.svg, 10) >= plain + 62 * megabyte + 12 << 20)
        #expect(try watermark(.svg, 10) == watermark(.svg, 10_000))
        #expect(try watermark(.pdf, 0) >= plain + 64 << 20)
        // The picture has more pixels after it is turned.
        #expect(try watermark(.webp, 10, "output=jpg&ro=45") >= plain + 9 * 8 * megabyte)
    }

    @Test func `a watermark that is a large PNG pays for its rows, and a small one for what it has`() throws {
        let plain = try watermark(.webp, 10)
        // In addition to about one byte a pixel.
        #expect(try watermark(.png, 3_000) >= plain + 8 * megabyte + 16 << 20)
        #expect(try watermark(.png, 100) < plain + megabyte)
    }

    @Test func `a PNG over a PNG is read before it`() throws {
        let recipe = try Recipe(canonical: "output=jpg&w=200")
        let mark = ImageHeader(format: .png, width: 3_000, height: 3_000)
        func price(_ format: ImageFormat) -> Int {
            JobPrice.bytes(
                header: ImageHeader(format: format, width: 1_000, height: 1_000), recipe: recipe,
                watermark: mark)
        }
        #expect(price(.png) == price(.jpeg))
    }
}
