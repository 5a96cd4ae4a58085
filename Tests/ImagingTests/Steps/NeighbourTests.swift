// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

/// White to the right of black.
private let edge = Canvas(64, 16) { x, _ in x < 32 ? [40, 40, 40] : [200, 200, 200] }

@Suite struct NeighbourTests {
    @Test(arguments: [1.0, 3, 6])
    func `a Gaussian turns an edge into its own sum`(sigma: Double) throws {
        let blurred = try picture(edge, "blur=\(sigma)")
        for x in 0..<64 {
            let share = 0.5 * (1 + erf((Double(x) - 31.5) / (sigma * 2.0.squareRoot())))
            // libvips cuts the Gaussian off at a fifth of its height.
            #expect(abs(Double(blurred[x, 8][0]) - (40 + 160 * share)) < 14, "\(x)")
        }
        #expect(blurred[2, 8] == [40, 40, 40])
    }

    @Test(arguments: [2.48, 3, 9, 10, 11, 12])
    func `a Gaussian leaves even areas as they are`(sigma: Double) throws {
        let white = try picture(Canvas(40, 30, of: [255, 255, 255, 255]), "blur=\(sigma)")
        #expect(white.samples.allSatisfy { $0 == 255 })
        let grey = try picture(Canvas(40, 30, of: [60, 128, 200]), "blur=\(sigma)")
        #expect(distance(grey[20, 15], [60, 128, 200]) <= 1)
    }

    @Test func `a Gaussian is the same again after many others`() throws {
        let sigmas = (0..<34).map { "\(2 + $0 / 10).\($0 % 10)" }
        let first = try sigmas.map { try picture(edge, "blur=\($0)").samples }
        let again = try Array(sigmas.reversed()).map { try picture(edge, "blur=\($0)").samples }
        for (index, samples) in again.enumerated() { #expect(samples == first[33 - index], "\(index)") }
    }

    @Test func `the mild blur is the mean of nine pixels`() throws {
        let dot = Canvas(9, 9) { x, y in x == 4 && y == 4 ? [190, 100, 10] : [100, 100, 100] }
        let blurred = try picture(dot, "blur")
        #expect(distance(blurred[3, 5], [110, 100, 90]) <= 1)
        #expect(blurred[2, 4] == [100, 100, 100])
    }

    @Test(arguments: [24.0, 25, 60, 1_000])
    func `however wide, a blur keeps the mean and the size`(sigma: Double) throws {
        let blurred = try picture(gradient(80, 60), "blur=\(sigma)")
        #expect(blurred.size == PixelSize(width: 80, height: 60))
        let mean = (0..<4800).map { Double(blurred[$0 % 80, $0 / 80][0]) }.reduce(0, +) / 4800
        #expect(abs(mean - 127.5) < 3)
        // Smoother than the original, and without steps.
        for x in 1..<80 { #expect(abs(Int(blurred[x, 30][0]) - Int(blurred[x - 1, 30][0])) <= 4) }
    }

    @Test func `a widest blur of a large picture takes no longer than its pixels`() throws {
        let large = try picture(Canvas(600, 450, of: [90, 120, 150]), "blur=1000")
        #expect(large[300, 225] == [90, 120, 150])
    }

    @Test(arguments: [
        "blur", "blur=1", "blur=4", "blur=40", "ro=33", "w=40", "w=200&we=0", "sharp", "sharp=2",
    ])
    func `no step leaves a dark fringe where the picture ends`(query: String) throws {
        #expect(fringe(try picture(lightOnTransparent(), query), [240, 200, 120]) <= 3)
    }

    /// AVIF takes rows, and PNG takes the tiles in which such steps are computed; the last ones are smaller.
    @Test(arguments: ["sharp=1.5", "blur=3&sharp=1.5&sat=0.5"])
    func `every encoder gets the same pixels of several tiles`(query: String) throws {
        let scene = softShapes(300, 270)
        let recipe = try Recipe(canonical: "output=avif&ll&" + query)
        let made = try TestRenderer.render(PNGFile.write(scene), recipe).bytes
        #expect(try TestRenderer.decode(made) == picture(scene, query))
        #expect(TestRenderer.remainingPixelBytes() == 0)
    }

    @Test(arguments: ["sharp", "sharp=1.5", "sharp=0.5,2.5,1.5"])
    func `sharpening makes an edge steeper and leaves flat parts alone`(query: String) throws {
        let sharp = try picture(edge, query)
        #expect(sharp[31, 8][0] < 40 && sharp[32, 8][0] > 200)
        #expect(distance(sharp[10, 8], [40, 40, 40]) <= 1)
        #expect(distance(sharp[55, 8], [200, 200, 200]) <= 1)
    }

    @Test(arguments: ["sharp", "sharp=2"])
    func `sharpening leaves alpha alone, and the edge of what is seen does not shine`(query: String) throws {
        let before = lightOnTransparent()
        let sharp = try picture(before, query)
        let pairs = (0..<96 * 96).map { (sharp[$0 % 96, $0 / 96], before[$0 % 96, $0 / 96]) }
        #expect(pairs.allSatisfy { $0[3] == $1[3] })
        let shine = pairs.filter { $1[3] == 255 }.map { distance($0, $1) }.max() ?? 256
        #expect(shine <= 6)
    }
}
