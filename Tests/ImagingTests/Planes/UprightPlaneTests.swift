// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Planar
import Recipes
import RequestGrammar
import Testing

/// Planes that are cut and turned upright before an encoder gets them.
@Suite struct UprightPlaneTests {
    @Test(arguments: 1...8, [(1, 1), (5, 3), (40, 33), (64, 70)])
    func `each sample goes where EXIF says`(orientation: Int, size: (Int, Int)) {
        let upright = Canvas(size.0, size.1) { x, y in [UInt8(truncatingIfNeeded: y * size.0 + x)] }
        let stored = upright.stored(orientation)
        let turn = Orientation(exif: orientation)
        #expect(turn.turned(stored.samples, to: upright.size) == upright.samples)
        let part = PixelSize(width: (size.0 + 1) / 2, height: (size.1 + 2) / 3)
        for (x, y) in [(0, 0), (size.0 - part.width, size.1 - part.height), (size.0 / 3, size.1 / 4)] {
            let window = turn.window(of: part, x: x, y: y, in: stored.size)
            let kept = (0..<window.height).flatMap { row in
                (0..<window.width).map { stored[window.x + $0, window.y + row][0] }
            }
            let expected = (0..<part.height).flatMap { row in
                (0..<part.width).map { upright[x + $0, y + row][0] }
            }
            #expect(turn.turned(kept, to: part) == expected, "\(x), \(y)")
        }
    }

    @Test(
        arguments: 1...8,
        [
            "w=151", "w=100&h=76", "w=99&h=75&fit=cover", "w=75&h=99&fit=cover&a=bottom-right",
            "w=61&h=60&fit=cover&a=focal&fpx=0.9&fpy=0.2", "w=90&h=45&fit=cover&a=top-left",
        ])
    func `a cut and upright picture shows no less than libvips'`(orientation: Int, query: String) throws {
        let scene = smallShapes(301, 203)
        let plain = try TestRenderer.render(PNGFile.write(scene.stored(orientation)), .make(.jpeg, q: 95))
            .bytes
        let file = JPEGFile.withEXIF(EXIF.orientation(orientation), plain)
        let seen = try #require(try TestRenderer.decode(plain))
        // Each turn undoes itself, except a quarter.
        let whole = seen.stored([6: 8, 8: 6][orientation] ?? orientation)
        for (format, quality) in [(ImageFormat.jpeg, 85), (.jpeg, 95), (.webp, 85), (.avif, 70)] {
            var recipe = try Recipe(canonical: query)
            (recipe.output, recipe.quality) = (.format(format), .number(quality))
            let plan = Geometry.plan(upright: scene.size, recipe: recipe)
            let resized = exact(whole, plan.resized.width, plan.resized.height)
            var corner = (x: 0, y: 0)
            if case .crop(let x, let y) = plan.placement { corner = (x, y) }
            let expected = (0..<plan.canvas.height).flatMap { y in
                let start = ((corner.y + y) * plan.resized.width + corner.x) * 3
                return resized[start..<start + plan.canvas.width * 3]
            }
            let (ours, theirs) = (
                try TestRenderer.render(file, recipe), try TestRenderer.render(file, recipe, jpegLane: false)
            )
            #expect(ours.isPlanar)
            let (lane, libvips) = (
                try #require(try TestRenderer.decode(ours.bytes)),
                try #require(try TestRenderer.decode(theirs.bytes))
            )
            try #require(lane.size == plan.canvas)
            let difference = psnr(lane, expected) - psnr(libvips, expected)
            #expect(difference >= -0.4, "\(format), q \(quality): \(difference) dB")
        }
    }
}
