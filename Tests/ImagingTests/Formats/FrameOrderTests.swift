// SPDX-License-Identifier: Apache-2.0

import CVips
import ImageHeaders
@testable import Imaging
import Recipes
import Testing

/// **Isolation:** libvips' thread counts while the test's thread waits for the pixels.
private final class Tally {
    var steps = 0
}

@Suite struct FrameOrderTests {
    // Tiles have 128 pixels a side: several side by side, over several frames; two rows of two; a column of three.
    @Test(arguments: [(300, 40), (150, 140), (9, 300)])
    func `each frame of a blurred animation is made once, and as if it were alone`(
        width: Int, height: Int
    ) throws {
        let count = 5
        let frame = PixelSize(width: width, height: height)
        let levels = (0..<frame.area * count).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }
        let tally = Tally()
        try TestRenderer.withEngine {
            let strip = try Picture(
                samples: levels, size: PixelSize(width: width, height: height * count), bands: 1)
            var frames = try Frames(strip, count: count)
            try frames.change { (page) throws(ImagingFailure) in
                tally.steps += 1
                return try page.inMemory().blurred(sigma: 3)
            }
            let together = try samples(of: frames.joined().inMemory())
            #expect(tally.steps == count)
            for index in 0..<count {
                let alone = try strip.cropped(x: 0, y: index * height, to: frame).inMemory().blurred(sigma: 3)
                let rows = together[index * frame.area..<(index + 1) * frame.area]
                #expect(try samples(of: alone.inMemory()) == Array(rows))
            }
        }
    }

    private func samples(of picture: Picture) throws -> [UInt8] {
        var length = 0
        let bytes = try #require(cvips_samples(picture.image, &length))
        return withExtendedLifetime(picture) { Array(UnsafeRawBufferPointer(start: bytes, count: length)) }
    }
}
