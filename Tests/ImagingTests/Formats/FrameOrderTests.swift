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
        let frame = PixelSize(width: width, height: height)
        try expect(frame, builds: frameCount) { (page) throws(ImagingFailure) in
            try page.inMemory().blurred(sigma: 3)
        }
    }

    @Test(arguments: [(300, 40), (150, 140), (9, 300)])
    func `steps that only need pixels in any order are built for the first frame and once for the others`(
        width: Int, height: Int
    ) throws {
        let frame = PixelSize(width: width, height: height)
        try expect(frame, builds: 2) { (page) throws(ImagingFailure) in
            try page.buffered().blurred(sigma: 3).buffered().turned(2)
        }
    }

    @Test func `a step that looks at pixels is built for each frame, whatever is before it`() throws {
        try expect(PixelSize(width: 30, height: 20), builds: frameCount) { (page) throws(ImagingFailure) in
            let page = try page.buffered().turned(2).inMemory()
            let level = try page.pixel(x: 3, y: 4)[0]
            return try page.mapped(LevelTable { abs($0 - level) })
        }
    }

    private let frameCount = 5

    /// Expects that the step makes of each frame what it makes of the frame alone.
    /// - Parameter builds: how often the step is called for all frames.
    private func expect(_ frame: PixelSize, builds: Int, by step: @escaping Frames.Step) throws {
        let (count, width, height) = (frameCount, frame.width, frame.height)
        let levels = (0..<frame.area * count).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }
        let tally = Tally()
        try TestRenderer.withEngine {
            let strip = try Picture(
                samples: levels, size: PixelSize(width: width, height: height * count), bands: 1)
            var frames = try Frames(strip, count: count)
            try frames.change { (page) throws(ImagingFailure) in
                tally.steps += 1
                return try step(page)
            }
            let together = try samples(of: frames.joined().inMemory())
            #expect(tally.steps == builds)
            for index in 0..<count {
                let alone = try step(strip.cropped(x: 0, y: index * height, to: frame))
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
