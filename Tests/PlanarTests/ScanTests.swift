// SPDX-License-Identifier: Apache-2.0

@testable import Planar
import RandomInputs
import Testing

@Suite struct ScanTests {
    /// The planes of a file, rows of all blocks.
    private func planes(
        _ file: [UInt8], shrink: Int, chromaShrink: Int, _ kernels: Kernels
    ) throws -> [[[UInt8]]] {
        try file.span.bytes.withUnsafeBytes { (file) throws(JPEGLaneRefusal) -> [[[UInt8]]] in
            let layout = try ScanLayout(
                Segments(Span(_unsafeBytes: file)), shrink: shrink, chromaShrink: chromaShrink,
                fineChromaShrink: chromaShrink)
            let rings = layout.planes.map { plane in
                PlaneRing(
                    width: layout.unitsAcross * plane.horizontal * plane.side,
                    rows: layout.unitsDown * plane.vertical * plane.side)
            }
            var decoder = ScanDecoder(file, layout, rings: rings, kernels: kernels)
            for _ in 0..<layout.unitsDown { try decoder.decodeStrip() }
            return zip(layout.planes, rings).map { plane, ring in
                (0..<ring.rows).map { row in
                    let width = layout.unitsAcross * plane.horizontal * plane.side
                    return Array(UnsafeBufferPointer(start: ring.place(ofRow: row, count: 1), count: width))
                }
            }
        }
    }

    private func check(_ picture: CoefficientPicture, _ writer: JPEGWriter? = nil) throws {
        let file = (writer ?? JPEGWriter(picture: picture)).file
        let exact = picture.components.indices.map { index in
            Dictionary(
                uniqueKeysWithValues: [1, 2, 4, 8].map { ($0, picture.samples(index, shrink: $0)) })
        }
        // Only the means may be needed for luma alone, for chroma alone, for all, or for none.
        for (shrink, chromaShrink) in [
            (1, 1), (2, 2), (4, 4), (8, 8), (2, 1), (4, 2), (8, 4), (4, 8), (1, 8),
        ] {
            for kernels in [Kernels.best, .portable] {
                let planes = try planes(file, shrink: shrink, chromaShrink: chromaShrink, kernels)
                for (index, plane) in planes.enumerated() {
                    let shrink = index == 0 ? shrink : chromaShrink
                    let exact = try #require(exact[index][shrink])
                    #expect(plane.count == exact.count)
                    let worst = zip(plane, exact).flatMap { zip($0, $1) }.map { abs(Double($0) - $1) }.max()
                    // Half a level is rounding.
                    #expect(worst ?? 0 <= 1.5, "\(kernels), component \(index) at 1/\(shrink)")
                }
            }
        }
    }

    static let samplings: [(Int, Int)?] = [nil, (1, 1), (2, 1), (1, 2), (2, 2)]

    @Test(arguments: samplings.indices)
    func `samples are those of the definition, at every part of the size`(sampling: Int) throws {
        var random = SeededRandom(for: "planes")
        for (width, height) in [(1, 1), (8, 8), (17, 9), (64, 40), (33, 70)] {
            for density in [0, 3, 12, 60] {
                try check(
                    .random(width, height, sampling: Self.samplings[sampling], density: density, &random))
            }
        }
    }

    @Test(arguments: [1, 2, 3, 5, 6, 7, 8, 9, 100])
    func `restarts begin predictions anew`(interval: Int) throws {
        var random = SeededRandom(for: "restarts")
        let sampling = Self.samplings[interval % Self.samplings.count]
        var picture = CoefficientPicture.random(100, 60, sampling: sampling, &random)
        picture.restartInterval = interval
        var writer = JPEGWriter(picture: picture)
        try check(picture, writer)
        writer.fill = 2
        try check(picture, writer)
    }

    /// A block that ends at its last coefficient has no end-of-block symbol; the next bits belong to the next
    /// block.
    @Test(arguments: samplings.indices)
    func `blocks that end at their last coefficients are followed by others`(sampling: Int) throws {
        var random = SeededRandom(for: "last coefficients")
        var picture = CoefficientPicture.random(
            70, 40, sampling: Self.samplings[sampling], density: 12, &random)
        let shapes: [Range<Int>] = [1..<64, 48..<64, 49..<64, 62..<64, 63..<64, 62..<63, 1..<1]
        for index in picture.components.indices {
            for number in picture.components[index].blocks.indices {
                var block = picture.components[index].blocks[number]
                let others = shapes[Int.random(in: shapes.indices, using: &random)]
                block.replaceSubrange(1..<64, with: (1..<64).map { others.contains($0) ? 1 : 0 })
                picture.components[index].blocks[number] = block
            }
        }
        try check(picture)
        picture.restartInterval = 4
        try check(picture)
    }

    @Test func `a grey picture's sampling means nothing`() throws {
        var random = SeededRandom(for: "grey")
        let picture = CoefficientPicture.random(41, 23, sampling: nil, &random)
        var writer = JPEGWriter(picture: picture)
        for sampling: UInt8 in [0x11, 0x22, 0x41] {
            writer.samplings = [sampling]
            try check(picture, writer)
        }
    }
}
