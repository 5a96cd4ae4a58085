// SPDX-License-Identifier: Apache-2.0

/// Writes coefficients as a baseline JPEG (ITU-T T.81), segment by segment, so that tests can distort each of
/// them.
struct JPEGWriter {
    var picture: CoefficientPicture
    /// The segments between the start of the image and the frame.
    var applications: [[UInt8]] = [segment(0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])]
    var frameMarker: UInt8 = 0xC0
    var precision: UInt8 = 8
    var ids: [UInt8] = [1, 2, 3]
    var spectrum: [UInt8] = [0, 63, 0]
    /// The components' sampling in the frame header, if it shall not be the true one.
    var samplings: [UInt8]?
    /// Replaces the restart markers.
    var restartMarkers: [UInt8] = (0..<8).map { 0xD0 + $0 }
    /// Fill bytes before the restart markers.
    var fill = 0
    /// Replaces the coded data.
    var coded: [UInt8]?
    /// The bytes behind the coded data.
    var end: [UInt8] = [0xFF, 0xD9]
    /// The numbers of the DC and AC tables.
    var tables: [UInt8] = [0, 0]

    static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)] + payload
    }

    var frame: [UInt8] {
        var bytes: [UInt8] = [precision, UInt8(picture.height >> 8), UInt8(picture.height & 255)]
        bytes += [UInt8(picture.width >> 8), UInt8(picture.width & 255), UInt8(picture.components.count)]
        for (index, component) in picture.components.enumerated() {
            let sampling = samplings?[index] ?? UInt8(component.horizontal << 4 | component.vertical)
            bytes += [ids[index], sampling, UInt8(min(index, 1))]
        }
        return Self.segment(frameMarker, bytes)
    }

    var scan: [UInt8] {
        var bytes = [UInt8(picture.components.count)]
        for index in picture.components.indices { bytes += [ids[index], tables[0] << 4 | tables[1]] }
        return Self.segment(0xDA, bytes + spectrum)
    }

    var file: [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8]
        for application in applications { bytes += application }
        for index in 0..<min(2, picture.components.count) {
            bytes += Self.segment(0xDB, [UInt8(index)] + picture.components[index].steps)
        }
        bytes += frame
        bytes += Self.segment(0xC4, [0x00 | tables[0]] + Code.dc.counts + Code.dc.symbols)
        bytes += Self.segment(0xC4, [0x10 | tables[1]] + Code.ac.counts + Code.ac.symbols)
        if picture.restartInterval > 0 {
            let interval = picture.restartInterval
            bytes += Self.segment(0xDD, [UInt8(interval >> 8), UInt8(interval & 255)])
        }
        return bytes + scan + (coded ?? data) + end
    }

    var data: [UInt8] {
        var bits = BitWriter()
        var last = [Int](repeating: 0, count: 3)
        let count = picture.unitsAcross * picture.unitsDown
        for unit in 0..<count {
            if picture.restartInterval > 0, unit > 0, unit % picture.restartInterval == 0 {
                bits.align()
                bits.bytes += [UInt8](repeating: 0xFF, count: 1 + fill)
                bits.bytes.append(restartMarkers[(unit / picture.restartInterval - 1) % 8])
                last = [0, 0, 0]
            }
            for (index, component) in picture.components.enumerated() {
                for y in 0..<component.vertical {
                    for x in 0..<component.horizontal {
                        let row = unit / picture.unitsAcross * component.vertical + y
                        let column = unit % picture.unitsAcross * component.horizontal + x
                        let block = component.blocks[row * component.blocksAcross + column]
                        write(block, after: last[index], to: &bits)
                        last[index] = block[0]
                    }
                }
            }
        }
        bits.align()
        return bits.bytes
    }

    private func write(_ block: [Int], after last: Int, to bits: inout BitWriter) {
        put(block[0] - last, run: 0, by: .dc, to: &bits)
        var run = 0
        for index in 1..<64 {
            guard block[index] != 0 else {
                run += 1
                continue
            }
            while run > 15 {
                bits.put(Code.ac.codes[0xF0])
                run -= 16
            }
            put(block[index], run: run, by: .ac, to: &bits)
            run = 0
        }
        if run > 0 { bits.put(Code.ac.codes[0]) }
    }

    private func put(_ number: Int, run: Int, by code: Code, to bits: inout BitWriter) {
        let size = Int.bitWidth - number.magnitude.leadingZeroBitCount
        bits.put(code.codes[UInt8(run << 4 | size)])
        bits.put((number < 0 ? number - 1 : number, size))
    }
}

/// A Huffman code: the symbols, frequent ones first, and the number of codes of each length.
struct Code {
    var counts: [UInt8]
    var symbols: [UInt8]
    var codes: [UInt8: (bits: Int, length: Int)] = [:]

    init(counts: [UInt8], symbols: [UInt8]) {
        (self.counts, self.symbols) = (counts, symbols)
        var (code, index) = (0, 0)
        for length in 1...16 {
            for _ in 0..<counts[length - 1] {
                codes[symbols[index]] = (code, length)
                code += 1
                index += 1
            }
            code <<= 1
        }
    }

    static let dc = Code(
        counts: [0, 1, 5, 1, 1, 1, 1, 1, 1] + Array(repeating: 0, count: 7), symbols: Array(0...11))

    /// All 162 symbols, some with codes of every length up to 16.
    static let ac = Code(
        counts: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
        symbols: [0x01, 0x02, 0x00, 0x11]
            + [0xF0]
            + (UInt8(1)...10).flatMap { size in (UInt8(0)...15).map { $0 << 4 | size } }
            .filter { ![0x01, 0x02, 0x11].contains($0) })
}

struct BitWriter {
    var bytes: [UInt8] = []
    private var pending = 0
    private var count = 0

    mutating func put(_ code: (bits: Int, length: Int)?) {
        guard let code, code.length > 0 else { return }
        for shift in (0..<code.length).reversed() {
            pending = pending << 1 | code.bits >> shift & 1
            count += 1
            guard count == 8 else { continue }
            bytes.append(UInt8(pending))
            if pending == 0xFF { bytes.append(0) }
            (pending, count) = (0, 0)
        }
    }

    /// Fills the last byte with ones (T.81 §F.1.2.3).
    mutating func align() {
        while count > 0 { put((1, 1)) }
    }
}
