// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

/// Pictures without alpha that libheif would turn incorrectly.
@Suite struct HEIFTurnTests {
    @Test(arguments: [64, 32])
    func `a grid is turned once though its parts have its turn`(width: Int) throws {
        try expect(HEIFFile.turnedGrid, in: PixelSize(width: width, height: 2 * width), [1, 3, 0, 2])
    }

    @Test func `samples of 10 bits are mirrored`() throws {
        try expect(HEIFFile.deepMirror, in: PixelSize(width: 16, height: 8), [1, 0, 3, 2])
    }

    /// - Parameter corners: which of the stored corners are shown, from the top left.
    private func expect(_ file: [UInt8], in size: PixelSize, _ corners: [Int]) throws {
        let made = try TestRenderer.render(file, .make(.png, w: size.width))
        let pixels = try #require(try TestRenderer.decode(made.bytes))
        try #require(pixels.size == size)
        let (right, bottom) = (size.width - 2, size.height - 2)
        let shown = [pixels[1, 1], pixels[right, 1], pixels[1, bottom], pixels[right, bottom]]
        for (shown, corner) in zip(shown, corners) {
            let wanted = HEIFFile.turnedCorners[corner].prefix(3)
            #expect(distance(shown, Array(wanted)) <= 4, "\(shown), \(wanted)")
        }
    }
}
