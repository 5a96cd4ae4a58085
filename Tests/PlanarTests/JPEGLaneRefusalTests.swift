// SPDX-License-Identifier: Apache-2.0

@testable import Planar
import RandomInputs
import Testing

/// Every irregular file is left to other decoders, and nothing traps.
@Suite struct GiveUpTests {
    /// The rows of the picture at a quarter of its sides; throws the reason for a refusal.
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

    private func reason(_ file: [UInt8], shrink: Int = 2) -> JPEGLaneRefusal? {
        do throws(JPEGLaneRefusal) {
            try make(file, shrink: shrink)
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

    /// A DC symbol has no run, and its number has up to 15 bits.
    @Test func `a table of first coefficients with other symbols is left to others`() {
        func table(_ symbol: UInt8) -> [UInt8] {
            JPEGWriter.segment(0xC4, [3, 1] + [UInt8](repeating: 0, count: 15) + [symbol])
        }
        #expect(reason(written { $0.applications.append(table(15)) }) == nil)
        for symbol: UInt8 in [16, 0x13, 0xF0] {
            #expect(reason(written { $0.applications.append(table(symbol)) }) == .oddHeader)
        }
    }

    /// A grey block with these AC symbols; each coefficient is the largest of its size.
    private func block(_ symbols: [UInt8]) -> [UInt8] {
        let component = CoefficientPicture.Component(
            blocks: [[Int](repeating: 0, count: 64)], blocksAcross: 1)
        let picture = CoefficientPicture(width: 8, height: 8, components: [component])
        var writer = JPEGWriter(picture: picture)
        var bits = BitWriter()
        bits.put(Code.dc.codes[0])
        for symbol in symbols {
            let size = Int(symbol & 15)
            bits.put(Code.ac.codes[symbol])
            bits.put((1 << size - 1, size))
        }
        bits.align()
        writer.coded = bits.bytes
        return writer.file
    }

    @Test(arguments: [1, 2, 4, 8])
    func `a block has 64 coefficients, and zeros are followed by one that is not`(shrink: Int) {
        let zeros: UInt8 = 0xF0
        for end: [UInt8] in [[0x00], [0xE1], [0xD1, 0x01], [0x01, 0x00], [0x0A, 0x00], [0xEA]] {
            #expect(reason(block([zeros, zeros, zeros] + end), shrink: shrink) == nil, "\(end)")
        }
        for end: [UInt8] in [[0xF1], [0xFA], [0xD1, 0x11], [zeros, 0x00], [zeros, 0x01]] {
            #expect(reason(block([zeros, zeros, zeros] + end), shrink: shrink) == .oddData, "\(end)")
        }
        #expect(reason(block([UInt8](repeating: 0x01, count: 63)), shrink: shrink) == nil)
        #expect(reason(block([UInt8](repeating: 0x01, count: 62) + [0x11]), shrink: shrink) == .oddData)
    }

    @Test(arguments: ScanTests.samplings.indices)
    func `whether damaged data are read is the same at every part of the size`(sampling: Int) {
        var random = SeededRandom(for: "damaged data")
        var picture = CoefficientPicture.random(37, 29, sampling: ScanTests.samplings[sampling], &random)
        picture.restartInterval = 3
        var writer = JPEGWriter(picture: picture)
        let data = writer.data
        for round in 0..<300 {
            writer.coded = random.damaged(data)
            let file = writer.file
            let reasons = [1, 2, 4, 8].map { reason(file, shrink: $0) }
            #expect(Set(reasons).count == 1, "round \(round): \(reasons)")
        }
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
