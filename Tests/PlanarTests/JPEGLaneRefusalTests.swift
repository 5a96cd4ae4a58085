// SPDX-License-Identifier: Apache-2.0

@testable import Planar
import RandomInputs
import Testing

/// Everything that is not by the book is left to others, and nothing traps.
@Suite struct GiveUpTests {
    /// The rows of the picture at a quarter of its sides; throws what it gives up for.
    @discardableResult
    private func make(_ file: [UInt8], shrink: Int = 2, _ kernels: Kernels = .best) throws(JPEGLaneRefusal)
        -> [UInt8]
    {
        try file.span.bytes.withUnsafeBytes { (file) throws(JPEGLaneRefusal) -> [UInt8] in
            let picture = try PlanarJPEG(file)
            guard picture.width * picture.height < 1 << 16 else { throw .otherSize }
            var bytes: [UInt8] = []
            let (width, height) = (max(1, picture.width / 4), max(1, picture.height / 4))
            try picture.resize(shrink: shrink, width: width, height: height, by: kernels) { bytes += $0 }
            #expect(bytes.count == width * height * picture.bands)
            return bytes
        }
    }

    private func reason(_ file: [UInt8]) -> JPEGLaneRefusal? {
        do throws(JPEGLaneRefusal) {
            try make(file)
            return nil
        } catch {
            return error
        }
    }

    private var small: CoefficientPicture {
        var random = SeededRandom(for: "small picture")
        var picture = CoefficientPicture.random(37, 29, sampling: (2, 2), &random)
        picture.restartInterval = 2
        return picture
    }

    private func written(_ bend: (inout JPEGWriter) -> Void = { _ in }) -> [UInt8] {
        var writer = JPEGWriter(picture: small)
        bend(&writer)
        return writer.file
    }

    @Test func `both ways of the arithmetic make the same picture`() throws {
        for shrink in [1, 2, 4, 8] {
            let file = written()
            #expect(try make(file, shrink: shrink, .best) == make(file, shrink: shrink, .portable))
        }
    }

    @Test func `what has no fault is read`() {
        #expect(reason(written()) == nil)
        #expect(reason(written { $0.frameMarker = 0xC1 }) == nil)
        #expect(reason(written { $0.applications = [] }) == nil)
        #expect(reason(written { $0.end += [1, 2, 3] }) == nil)
        #expect(reason(written { $0.fill = 3 }) == nil)
    }

    @Test func `other kinds are left to others`() {
        for marker: UInt8 in [0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF] {
            #expect(reason(written { $0.frameMarker = marker }) == .otherKind)
        }
        #expect(reason(written { $0.precision = 12 }) == .otherKind)
        #expect(reason(written { $0.picture.height = 0 }) != nil)
        #expect(reason(written { ($0.ids, $0.applications) = (Array("RGB".utf8), []) }) == .otherKind)
        let adobe = JPEGWriter.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0])
        #expect(reason(written { $0.applications = [adobe] }) == .otherKind)
        for samplings: [UInt8] in [
            [0x22, 0x21, 0x11], [0x41, 0x11, 0x11], [0x14, 0x11, 0x11], [0x11, 0x22, 0x22],
        ] {
            #expect(reason(written { $0.samplings = samplings }) == .otherKind)
        }
        #expect(reason(written { $0.samplings = [0x00, 0x11, 0x11] }) == .otherKind)
    }

    @Test func `a header that contradicts itself is left to others`() {
        #expect(reason(written { $0.spectrum = [0, 5, 0] }) == .oddHeader)
        #expect(reason(written { $0.spectrum = [0, 63, 1] }) == .oddHeader)
        #expect(reason(written { $0.ids = [1, 1, 2] }) == .oddHeader)
        for table: UInt8 in [4, 15] {
            #expect(reason(written { $0.tables = [table, 0] }) == .oddHeader)
            #expect(reason(written { $0.tables = [0, table] }) == .oddHeader)
        }
        let part = JPEGWriter.segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 2, 0])
        #expect(reason(written { $0.applications.append(part) }) == .oddHeader)
        #expect(reason(written { $0.applications.append($0.frame) }) == .oddHeader)
        #expect(reason(written { $0.applications.append([0]) }) == .oddHeader)
    }

    @Test func `data that break a rule are left to others`() {
        #expect(reason(written { $0.end = [] }) == .oddData)
        #expect(reason(written { $0.end = [0, 0xFF, 0xD9] }) == .oddData)
        #expect(reason(written { $0.end = [0xFF, 0xD0, 0xFF, 0xD9] }) == .oddData)
        #expect(reason(written { $0.end = [0xFF, 0xDC, 0, 4, 0, 29, 0xFF, 0xD9] }) == .oddData)
        #expect(reason(written { $0.restartMarkers[1] = 0xD2 }) == .oddData)
        #expect(reason(written { $0.restartMarkers[0] = 0xD9 }) == .oddData)
        // In two steps, each of which has a code.
        let large = written { writer in
            writer.picture.components[0].blocks[0][0] = 1500
            writer.picture.components[0].blocks[1][0] = 2500
        }
        #expect(reason(large) == .oddData)
    }

    @Test func `no cut of a file is a picture`() {
        let file = written()
        for length in file.indices { #expect(reason(Array(file.prefix(length))) != nil, "\(length) bytes") }
    }

    @Test func `no damage traps`() {
        var random = SeededRandom(for: "damaged files")
        let file = written()
        for round in 0..<8_000 {
            let damaged = random.damaged(file)
            do throws(JPEGLaneRefusal) { try make(damaged, shrink: [1, 2, 4, 8][round % 4]) } catch {
                continue
            }
        }
    }
}
