// SPDX-License-Identifier: Apache-2.0

/// Codestreams of JPEG XL, written field by field.
enum JXLStream {
    /// The value and the number of bits of each field.
    typealias Fields = [(Int, Int)]

    /// The size of 16 × 16; no default metadata; no extra fields.
    static let start: Fields = [(1, 1), (1, 5), (1, 3), (0, 1), (0, 1)]

    static func make(_ parts: [Fields]) -> [UInt8] {
        var bits: [Int] = []
        for (value, count) in parts.joined() { bits += (0..<count).map { value >> $0 & 1 } }
        while bits.count % 8 > 0 { bits.append(0) }
        return [0xFF, 0x0A]
            + stride(from: 0, to: bits.count, by: 8).map { start in
                UInt8((0..<8).reduce(0) { $0 | bits[start + $1] << $1 })
            }
    }
}
