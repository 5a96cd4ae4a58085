// SPDX-License-Identifier: Apache-2.0

/// Reads the bits of a JPEG XL codestream, the lowest bit of a byte first (ISO/IEC 18181-1 §B.1).
struct JXLBits {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func skip(_ count: Int) throws(ImageHeaderError) {
        guard count <= bytes.count * 8 - position else { throw .damaged }
        position += count
    }

    /// Skips a number whose first two bits select its width.
    // Cannot trap: two bits are below four.
    mutating func skip(_ widths: [Int]) throws(ImageHeaderError) { try skip(widths[try next(2)]) }

    /// A number whose first two bits select its width and an offset that is added to it (`U32`, §B.2.1).
    mutating func number(_ choices: [(width: Int, offset: Int)]) throws(ImageHeaderError) -> Int {
        // Cannot trap: two bits are below four, and the sum has few more than 30 bits.
        let (width, offset) = try choices[next(2)]
        return try next(width) + offset
    }

    /// The next `count` bits, at most 30.
    mutating func next(_ count: Int) throws(ImageHeaderError) -> Int {
        guard count <= bytes.count * 8 - position else { throw .damaged }
        var value = 0
        for bit in 0..<count {
            value |= Int(bytes[position / 8] >> (position % 8) & 1) << bit
            position += 1
        }
        return value
    }
}
