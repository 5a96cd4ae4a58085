// SPDX-License-Identifier: Apache-2.0

@testable import Planar
import RandomInputs
import Testing

/// A progressive JPEG has the same samples as a baseline one with the same coefficients.
@Suite struct ProgressiveTests {
    private func rows(
        _ file: [UInt8], shrink: Int, halves: Bool? = nil
    ) throws(JPEGLaneRefusal) -> [[UInt8]] {
        try file.span.bytes.withUnsafeBytes { (file) throws(JPEGLaneRefusal) -> [[UInt8]] in
            let picture = try PlanarJPEG(file)
            guard picture.width * picture.height < 1 << 16 else { throw .otherSize }
            let (width, height) = ((picture.width + 1) / 2, (picture.height + 1) / 2)
            var rows: [[UInt8]] = []
            guard let halves else {
                try picture.resize(shrink: shrink, width: width, height: height) { rows.append(Array($0)) }
                return rows
            }
            try picture.resizePlanes(
                shrink: shrink, width: width, height: height,
                form: PlaneForm(halvesChroma: halves, isLimited: false),
                by: .best
            ) { (_, row) in
                rows.append(Array(row))
                return true
            }
            return rows
        }
    }

    private func check(_ writer: ProgressiveWriter) throws {
        let (file, baseline) = (writer.file, JPEGWriter(picture: writer.picture).file)
        for shrink in [1, 2, 4, 8] {
            for halves in [nil, true, false] {
                #expect(
                    try rows(file, shrink: shrink, halves: halves)
                        == rows(baseline, shrink: shrink, halves: halves),
                    "\(writer.picture.width)×\(writer.picture.height) at 1/\(shrink)")
            }
        }
    }

    static let samplings: [(Int, Int)?] = [nil, (1, 1), (2, 1), (1, 2), (2, 2)]

    @Test(arguments: samplings.indices)
    func `samples are those of a baseline file`(sampling: Int) throws {
        var random = SeededRandom(for: "progressive planes")
        for (width, height) in [(1, 1), (8, 8), (17, 9), (64, 40), (33, 70), (121, 57)] {
            for density in [0, 3, 12, 60] {
                let picture = CoefficientPicture.random(
                    width, height, sampling: Self.samplings[sampling], density: density, &random)
                let count = picture.components.count
                for script in [ProgressiveWriter.usual(count), ProgressiveWriter.plain(count)] {
                    try check(ProgressiveWriter(picture: picture, script: script))
                }
            }
        }
    }

    @Test(arguments: [1, 2, 7, 8, 9, 100])
    func `restarts begin each scan anew`(interval: Int) throws {
        var random = SeededRandom(for: "progressive restarts")
        var picture = CoefficientPicture.random(100, 60, sampling: (2, 2), &random)
        picture.restartInterval = interval
        var writer = ProgressiveWriter(picture: picture, script: ProgressiveWriter.usual(3))
        try check(writer)
        writer.fill = 2
        try check(writer)
    }

    private var small: ProgressiveWriter {
        var random = SeededRandom(for: "small progressive picture")
        var picture = CoefficientPicture.random(37, 29, sampling: (2, 2), &random)
        picture.restartInterval = 3
        return ProgressiveWriter(picture: picture, script: ProgressiveWriter.usual(3))
    }

    private func reason(_ bend: (inout ProgressiveWriter) -> Void) -> JPEGLaneRefusal? {
        var writer = small
        bend(&writer)
        do throws(JPEGLaneRefusal) {
            _ = try rows(writer.file, shrink: 2)
            return nil
        } catch {
            return error
        }
    }

    @Test func `scans that are out of order, or not all of them, are left to others`() {
        #expect(reason { _ in } == nil)
        for index in small.script.indices {
            #expect(reason { $0.script.remove(at: index) } == .otherKind, "\(index)")
            #expect(reason { $0.script.append($0.script[index]) } == .otherKind, "\(index)")
        }
        #expect(reason { $0.script.reverse() } == .otherKind)
        #expect(reason { $0.script[1].components = [0, 1] } != nil)
        #expect(reason { $0.end = [] } == .oddHeader)
        #expect(reason { $0.end = [0xFF, 0xD0, 0xFF, 0xD9] } == .oddData)
    }

    @Test func `no cut of a file is a picture`() {
        let file = small.file
        for length in file.indices {
            #expect(throws: JPEGLaneRefusal.self, "\(length) bytes") {
                try rows(Array(file.prefix(length)), shrink: [1, 2, 4, 8][length % 4])
            }
        }
    }

    @Test func `no damage traps`() {
        var random = SeededRandom(for: "damaged progressive files")
        let file = small.file
        for round in 0..<8_000 {
            let damaged = random.damaged(file)
            _ = try? rows(damaged, shrink: [1, 2, 4, 8][round % 4])
        }
    }
}
