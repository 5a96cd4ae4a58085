// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

/// Reduced pictures keep the detail that the smaller size can show, and nothing else.
@Suite struct ResizeTests {
    /// Rings whose distance shrinks to two pixels at the edge; most of them can only be grey in the smaller
    /// picture.
    private static let plate = zonePlate(800, around: 400, scale: 1600)

    @Test(arguments: [1, 3], [267, 200, 134, 100, 88, 64, 50])
    func `fine rings leave no others behind`(bands: Int, width: Int) throws {
        let plate = Self.plate.band(0, times: bands)
        let made = try TestRenderer.render(PNGFile.write(plate), .make(.png, w: width))
        let pixels = try #require(try TestRenderer.decode(made.bytes))
        let likeness = psnr(pixels, exact(plate, width, width))
        #expect(likeness >= 44, "\(width): \(likeness)")
    }

    @Test(arguments: [1, 2, 3, 4], [88, 77, 64, 51])
    func `white stays white, and what is opaque stays opaque`(bands: Int, width: Int) throws {
        let white = Canvas(800, 600, of: [UInt8](repeating: 255, count: bands))
        for query in ["w=\(width)", "linear&w=\(width)", "linear&w=\(width * 4)"] {
            let made = try picture(white, query)
            #expect(made.width > 0 && made.samples.allSatisfy { $0 == 255 }, "\(query)")
        }
    }
}
