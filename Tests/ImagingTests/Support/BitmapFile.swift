// SPDX-License-Identifier: Apache-2.0

/// Writes the formats of Windows in their simplest form.
enum BitmapFile {
    static func little(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Rows of pixel values, the lowest row first, padded to 4 bytes.
    static func rows(_ width: Int, _ height: Int, _ bits: Int, _ value: (Int, Int) -> Int) -> [UInt8] {
        (0..<height).reversed().flatMap { y in
            var row = [UInt8](repeating: 0, count: (width * bits + 31) / 32 * 4)
            for x in 0..<width {
                let pixel = value(x, y)
                if bits < 8 {
                    row[x * bits / 8] |= UInt8(pixel << (8 - bits - x * bits % 8))
                } else {
                    for (index, byte) in little(pixel, bits / 8).enumerated() {
                        row[x * bits / 8 + index] = byte
                    }
                }
            }
            return row
        }
    }

    /// - Parameter length: the header's length; a header of more than 40 bytes contains `masks`.
    static func header(
        _ width: Int, _ height: Int, _ bits: Int, compression: Int = 0, length: Int = 40, masks: [Int] = []
    ) -> [UInt8] {
        let start =
            little(length, 4) + little(width, 4) + little(height, 4) + little(1, 2) + little(bits, 2)
            + little(compression, 4) + [UInt8](repeating: 0, count: 20) + masks.flatMap { little($0, 4) }
        return start + [UInt8](repeating: 0, count: max(0, length - start.count))
    }

    static func palette(_ bits: Int) -> [UInt8] {
        bits > 8 ? [] : (0..<1 << bits).flatMap { [UInt8(255 - $0), UInt8($0), 9, 0] }
    }

    static func bmp(_ dib: [UInt8], rowsAt: Int) -> [UInt8] {
        Array("BM".utf8) + little(14 + dib.count, 4) + little(0, 4) + little(14 + rowsAt, 4) + dib
    }

    /// `size`: the size in the directory.
    static func ico(_ entries: [(size: Int, bytes: [UInt8])]) -> [UInt8] {
        var (directory, bodies) = (little(0, 2) + little(1, 2) + little(entries.count, 2), [UInt8]())
        let start = 6 + 16 * entries.count
        for entry in entries {
            let side = UInt8(truncatingIfNeeded: entry.size)
            directory += [side, side, 0, 0] + little(1, 2) + little(32, 2)
            directory += little(entry.bytes.count, 4) + little(start + bodies.count, 4)
            bodies += entry.bytes
        }
        return directory + bodies
    }

    /// An icon with a checkerboard of holes.
    static func icon(_ size: Int, _ bits: Int, alpha: Int = 0, isTopDown: Bool = false) -> [UInt8] {
        header(size, isTopDown ? -size * 2 : size * 2, bits) + palette(bits)
            + rows(size, size, bits) { x, y in
                let pixel = bitmapValue(x, isTopDown ? size - 1 - y : y, bits)
                return pixel | (bits == 32 ? alpha << 24 : 0)
            }
            + rows(size, size, 1) { x, y in (x + (isTopDown ? size - 1 - y : y)) % 2 }
    }
}

/// The colour of a pixel value.
func bitmapColour(_ value: Int, _ bits: Int) -> [UInt8] {
    guard bits > 8 else { return [9, UInt8(value), UInt8(255 - value)] }
    let width = bits == 16 ? 5 : 8
    let most = 1 << width - 1
    return [2, 1, 0].map { (band: Int) -> UInt8 in
        let level = (value >> (band * width)) & most
        return UInt8((level * 255 + most / 2) / most)
    }
}

/// Different values for all pixels, as far as the bits allow.
func bitmapValue(_ x: Int, _ y: Int, _ bits: Int) -> Int {
    (x * 7_919 + y * 104_729) & (bits == 16 ? 0x7FFF : (1 << min(bits, 24)) - 1)
}
