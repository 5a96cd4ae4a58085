// SPDX-License-Identifier: Apache-2.0

import PixelReference

/// Builds JPEGs (ITU-T T.81) segment by segment.
enum JPEGFile {
    /// The file with one more application segment at the front.
    static func inserting(_ marker: UInt8, _ payload: [UInt8], into file: [UInt8]) -> [UInt8] {
        file[0..<2] + segment(marker, payload) + file[2...]
    }

    static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xFF, marker] + big16(payload.count + 2) + payload
    }

    static func withEXIF(_ tiff: [UInt8], _ file: [UInt8]) -> [UInt8] {
        inserting(0xE1, Array("Exif\0\0".utf8) + tiff, into: file)
    }

    static func withProfile(_ profile: [UInt8], _ file: [UInt8]) -> [UInt8] {
        inserting(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1] + profile, into: file)
    }

    /// Markers of all segments before the scan.
    static func markers(_ file: [UInt8]) -> [UInt8] {
        var (markers, offset): ([UInt8], Int) = ([], 2)
        while offset + 4 <= file.count, file[offset] == 0xFF, file[offset + 1] != 0xDA {
            markers.append(file[offset + 1])
            offset += 2 + (Int(file[offset + 2]) << 8 | Int(file[offset + 3]))
        }
        return markers
    }

    /// Four inverted inks (255 is none), one colour everywhere; sides are multiples of 8.
    static func flatCMYK(_ width: Int, _ height: Int, _ samples: [UInt8]) -> [UInt8] {
        flat(width, height, samples, transform: 0)
    }

    /// The same inks as luma, chroma and black (Adobe TN 5116, "YCCK"), where red, green and blue are 255 − cyan,
    /// magenta and yellow as written.
    static func flatYCCK(_ width: Int, _ height: Int, _ samples: [UInt8]) -> [UInt8] {
        let (r, g, b) = (255 - Double(samples[0]), 255 - Double(samples[1]), 255 - Double(samples[2]))
        let luma = 0.299 * r + 0.587 * g + 0.114 * b
        let converted = [luma, (b - luma) / 1.772 + 128, (r - luma) / 1.402 + 128].map {
            UInt8(max(0, min(255, $0.rounded())))
        }
        return flat(width, height, converted + [samples[3]], transform: 2)
    }

    /// Baseline with four components of 8 bits, written as given; Adobe's marker says what they are.
    private static func flat(_ width: Int, _ height: Int, _ samples: [UInt8], transform: UInt8) -> [UInt8] {
        var frame: [UInt8] = [8] + big16(height) + big16(width) + [4]
        var scan: [UInt8] = [4]
        for component in UInt8(1)...4 {
            frame += [component, 0x11, 0]
            scan += [component, 0]
        }
        // DC categories 0…11 as 4-bit codes, and the only AC symbol needed, the end of a block, as a 1-bit code.
        let direct = [0x00] + [0, 0, 0, 12] + [UInt8](repeating: 0, count: 12) + (0..<12).map { UInt8($0) }
        let alternating = [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0]
        var out: [UInt8] = [0xFF, 0xD8]
        out += segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform])
        out += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64)) + segment(0xC0, frame)
        out += segment(0xC4, direct) + segment(0xC4, alternating)
        out += segment(0xDA, scan + [0, 63, 0])
        var bits = BitWriter()
        for block in 0..<(width / 8 * height / 8) {
            for sample in samples {
                // The DC coefficient of a flat block is eight times its level; only the first block differs.
                bits.writeDC(block == 0 ? 8 * (Int(sample) - 128) : 0)
                bits.write(0, count: 1)
            }
        }
        return out + bits.finish() + [0xFF, 0xD9]
    }
}

private struct BitWriter {
    private var out: [UInt8] = []
    private var held = 0
    private var count = 0

    mutating func write(_ value: Int, count bits: Int) {
        for bit in (0..<bits).reversed() {
            held = held << 1 | (value >> bit & 1)
            count += 1
            guard count == 8 else { continue }
            out.append(UInt8(held))
            // §F.1.2.3: a zero follows each FF.
            if held == 0xFF { out.append(0) }
            (held, count) = (0, 0)
        }
    }

    /// §F.1.2.1: the category, then the difference, negative ones as their one's complement.
    mutating func writeDC(_ difference: Int) {
        var category = 0
        while abs(difference) >> category != 0 { category += 1 }
        write(category, count: 4)
        write(difference < 0 ? difference + (1 << category) - 1 : difference, count: category)
    }

    mutating func finish() -> [UInt8] {
        while count != 0 { write(1, count: 1) }
        return out
    }
}

/// The TIFF structures of EXIF.
enum EXIF {
    static func orientation(_ value: Int) -> [UInt8] { directory([entry(0x0112, short: value)]) }

    /// Orientation 1, a GPS directory with a latitude reference, and the word "secret" where a maker's name goes.
    static let withPosition: [UInt8] = {
        let maker = Array("secret\0\0".utf8)
        // Header 8, directory 2 + 2 × 12 + 4 = 30, GPS directory 18, maker 8.
        let entries = [
            big16(0x010F) + big16(2) + big32(8) + big32(56), big16(0x8825) + big16(4) + big32(1) + big32(38),
        ]
        let position = big16(1) + big16(1) + big16(2) + big32(2) + Array("N\0\0\0".utf8) + big32(0)
        return directory(entries) + position + maker
    }()

    /// XResolution, YResolution and ResolutionUnit.
    static func resolution(_ across: Int, _ down: Int, unit: Int) -> [UInt8] {
        // Header 8, directory 2 + 3 × 12 + 4 = 42, and two fractions of 8.
        let fractions = [(0x011A, 50), (0x011B, 58)].map { tag, place in
            big16(tag) + big16(5) + big32(1) + big32(place)
        }
        let numbers = big32(across) + big32(1) + big32(down) + big32(1)
        return directory(fractions + [entry(0x0128, short: unit)]) + numbers
    }

    private static func entry(_ tag: Int, short value: Int) -> [UInt8] {
        big16(tag) + big16(3) + big32(1) + big16(value) + [0, 0]
    }

    private static func directory(_ entries: [[UInt8]]) -> [UInt8] {
        Array("MM\0*".utf8) + big32(8) + big16(entries.count) + entries.flatMap { $0 } + big32(0)
    }
}
