// SPDX-License-Identifier: Apache-2.0

import Foundation
import LibJPEG
@testable import Planar
import RandomInputs
import Testing

/// Planes differ from libjpeg's by at most one level, at every fraction of the size, for encoders' files and for random
/// coefficients from a seed. `scripts/planes FOLDER` compares all JPEGs in a folder.
@Suite struct LibJPEGTests {
    private typealias Planes = (layout: ScanLayout, rings: [PlaneRing])

    /// All rows of all planes, as `Planar` decodes them.
    private static func planes(
        _ file: [UInt8], shrink: Int, chromaShrink: Int, _ kernels: Kernels
    ) throws(JPEGLaneRefusal) -> Planes {
        try file.span.bytes.withUnsafeBytes { (file) throws(JPEGLaneRefusal) -> Planes in
            let segments = try Segments(Span(_unsafeBytes: file))
            let layout = try ScanLayout(segments, shrink: shrink, chromaShrink: chromaShrink)
            let rings = layout.planes.map { plane in
                PlaneRing(
                    width: layout.unitsAcross * plane.horizontal * plane.side,
                    rows: layout.unitsDown * plane.vertical * plane.side)
            }
            if segments.parts.isEmpty {
                var decoder = ScanDecoder(file, layout, rings: rings, kernels: kernels)
                for _ in 0..<layout.unitsDown { try decoder.decodeStrip() }
            } else {
                var decoder = ProgressiveDecoder(file, layout, rings: rings, kernels: kernels)
                for _ in 0..<layout.unitsDown { try decoder.decodeStrip() }
            }
            return (layout, rings)
        }
    }

    /// The largest difference of any sample; nil if the planes differ in shape.
    private static func difference(_ made: Planes, _ right: [libjpeg_plane]) -> Int? {
        var worst = 0
        for ((plane, ring), right) in zip(zip(made.layout.planes, made.rings), right) {
            let (width, height) = (Int(right.width), Int(right.height))
            guard plane.side == Int(right.side), height <= ring.rows, width <= ring.stride else { return nil }
            for y in 0..<height {
                let row = libjpeg_difference(
                    ring.place(ofRow: y, count: 1), right.samples + y * right.stride, width)
                worst = max(worst, Int(row))
            }
        }
        return worst
    }

    /// - Returns: false if the file is left to libvips, at every fraction of its size.
    private static func check(_ file: [UInt8], _ name: String) -> Bool {
        var isTaken = false
        for shrink in [1, 2, 4, 8] {
            var right = [libjpeg_plane](repeating: libjpeg_plane(), count: 3)
            let count = Int(libjpeg_read(file, file.count, Int32(shrink), &right))
            defer { libjpeg_free(&right) }
            let chromaShrink = count == 3 ? 8 / Int(right[1].side) : shrink
            for kernels in [Kernels.best, .portable] {
                guard
                    let made = try? planes(file, shrink: shrink, chromaShrink: chromaShrink, kernels)
                else { continue }
                isTaken = true
                #expect(made.rings.count == count, "\(name) at 1/\(shrink): libjpeg gives up")
                guard made.rings.count == count else { continue }
                let difference = difference(made, Array(right.prefix(count)))
                #expect(difference ?? 255 <= 1, "\(name) at 1/\(shrink), \(kernels)")
            }
        }
        return isTaken
    }

    @Test func `files of encoders`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fuzz/Corpus/planar")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names.count >= 10)
        for name in names {
            let file = [UInt8](try Data(contentsOf: folder.appending(path: name)))
            #expect(Self.check(file, name), "\(name) is left to libvips")
        }
    }

    @Test(arguments: ScanTests.samplings.indices)
    func `coefficients of any sampling`(sampling: Int) {
        var random = SeededRandom(for: "planes of libjpeg")
        for (width, height) in [(1, 1), (17, 9), (64, 40), (33, 70)] {
            for density in [0, 3, 12] {
                let picture = CoefficientPicture.random(
                    width, height, sampling: ScanTests.samplings[sampling], density: density, &random)
                let script = ProgressiveWriter.usual(picture.components.count)
                let name = "\(width) × \(height), \(density) %"
                #expect(Self.check(JPEGWriter(picture: picture).file, name))
                #expect(Self.check(ProgressiveWriter(picture: picture, script: script).file, name))
            }
        }
    }

    private static let folder = ProcessInfo.processInfo.environment["PICTOR_JPEGS"]
    /// The planes of larger files are not held.
    private static let mostPixels = 64_000_000

    @Test(.enabled(if: folder != nil, "PICTOR_JPEGS names none")) func `all JPEGs of a folder`() throws {
        let folder = URL(filePath: try #require(Self.folder))
        let paths = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap {
            $0 as? String
        }
        var (taken, left) = (0, 0)
        for path in paths.sorted() {
            guard let file = try? [UInt8](Data(contentsOf: folder.appending(path: path))),
                file.starts(with: [0xFF, 0xD8])
            else { continue }
            let size = file.span.bytes.withUnsafeBytes { file in
                (try? PlanarJPEG(file)).map { $0.width * $0.height } ?? 0
            }
            if size <= Self.mostPixels, Self.check(file, path) { taken += 1 } else { left += 1 }
        }
        print("\(taken) JPEGs compared, \(left) left to libvips")
        #expect(taken > 0)
    }
}
