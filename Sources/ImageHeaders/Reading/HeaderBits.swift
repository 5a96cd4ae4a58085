// SPDX-License-Identifier: Apache-2.0

/// Reads the bits of a file, the highest bit of a byte first.
struct HeaderBits {
    /// Offset of the byte that holds the next bit.
    private(set) var next: Int
    private let end: Int
    private var used = 0
    /// The number of zero bytes directly before the next one; nil if the bytes are not escaped.
    private var zeros: Int?

    /// - Parameter isEscaped: true if a 3 behind two zero bytes is an escape to be skipped (ITU-T H.265
    ///   §7.3.1.1).
    init(_ bytes: Range<Int>, isEscaped: Bool = false) {
        (next, end) = (bytes.lowerBound, bytes.upperBound)
        zeros = isEscaped ? 0 : nil
    }

    /// - Parameter count: at most 62 bits.
    mutating func take(_ count: Int, _ reader: inout HeaderReader) throws(ImageHeaderError) -> Int {
        var value = 0
        for _ in 0..<count {
            guard next < end else { throw .damaged }
            let byte = try reader.byte(at: next)
            value = value << 1 | Int(byte >> (7 - used)) & 1
            used += 1
            if used == 8 { try step(over: byte, &reader) }
        }
        return value
    }

    mutating func skip(_ count: Int, _ reader: inout HeaderReader) throws(ImageHeaderError) {
        for _ in 0..<count { _ = try take(1, &reader) }
    }

    mutating func flag(_ reader: inout HeaderReader) throws(ImageHeaderError) -> Bool {
        try take(1, &reader) == 1
    }

    /// An Exp-Golomb code of at most 32 leading zeros: `ue(v)` of H.265 §9.2, `uvlc()` of AV1 §4.10.3.
    mutating func golomb(_ reader: inout HeaderReader) throws(ImageHeaderError) -> Int {
        var zeros = 0
        while try !flag(&reader) {
            zeros += 1
            guard zeros <= 32 else { throw .damaged }
        }
        return (1 << zeros) - 1 + (try take(zeros, &reader))
    }

    private mutating func step(over byte: UInt8, _ reader: inout HeaderReader) throws(ImageHeaderError) {
        (next, used) = (next + 1, 0)
        guard let before = zeros else { return }
        zeros = byte == 0 ? before + 1 : 0
        if let count = zeros, count >= 2, next < end, try reader.byte(at: next) == 3 {
            (next, zeros) = (next + 1, 0)
        }
    }
}
