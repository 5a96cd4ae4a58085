// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageHeaders
@testable import Imaging
import Recipes
import Testing

/// Pictures that are made smaller keep what a smaller one can show, and nothing else.
@Suite struct ResizeTests {
    /// Rings whose distance shrinks to two pixels at the edge: of the smaller picture, most can only be grey.
    private static let plate = Canvas(800, 800) { x, y in
        let (x, y) = (Double(x) - 400, Double(y) - 400)
        return [UInt8((127.5 + 110 * cos((x * x + y * y) * .pi / 1600)).rounded())]
    }

    @Test(arguments: [1, 3], [267, 200, 134, 100, 88, 64, 50])
    func `fine rings leave no others behind`(bands: Int, width: Int) throws {
        let plate = Canvas(800, 800) { x, y in [UInt8](repeating: Self.plate[x, y][0], count: bands) }
        let made = try Studio.make(PNGFile.write(plate), .make(.png, w: width))
        let pixels = try #require(try Studio.develop(made.bytes))
        let likeness = psnr(pixels, exact(plate, width, width))
        #expect(likeness >= 44, "\(width): \(likeness)")
    }
}
