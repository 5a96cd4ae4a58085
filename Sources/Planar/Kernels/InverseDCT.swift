// SPDX-License-Identifier: Apache-2.0
//
// Loeffler, Ligtenberg, Moschytz: "Practical fast 1-D DCT algorithms with 11 multiplications", ICASSP 1989, with
// constants of 13 bits. Each odd output is written out as a sum of products, which gives the same integers. The
// first pass transforms the columns and keeps 2 fractional bits; the second transforms the rows. The results equal
// those of libjpeg's accurate integer transform. The smaller sizes are the means of neighbouring outputs, to which
// the unused frequencies contribute nothing.
//
// The transforms of CPlanar are faster. These run on any processor, and tests compare CPlanar's results with them.

enum InverseDCT {
    private typealias Eight = SIMD8<Int32>

    /// - Parameter side: samples in a row of the resulting block: 8, 4 or 2.
    static func inverse(
        _ block: UnsafeMutablePointer<Int16>, side: Int, to samples: UnsafeMutablePointer<UInt8>, stride: Int
    ) {
        let transform = side == 8 ? eight : side == 4 ? four : two
        // A sum of two outputs has one bit more, and a sum of four two; the wider shift makes them means.
        let bits: Int32 = side == 8 ? 11 : side == 4 ? 12 : 13
        let columns = transform(load(block), bits, 0).map(saturated)
        let rows = transform(transposed(columns), bits + 7, 128)
        for x in 0..<side {
            for y in 0..<side { samples[y * stride + x] = UInt8(clamping: rows[x][y]) }
        }
    }

    // MARK: One dimension, of eight columns at once

    private static func eight(_ c: [Eight], _ bits: Int32, _ offset: Int32) -> [Eight] {
        let (sum, difference) = ((c[0] &+ c[4]) &<< 13, (c[0] &- c[4]) &<< 13)
        let a = c[2] &* 10703 &+ c[6] &* 4433
        let b = c[2] &* 4433 &- c[6] &* 10704
        let even = [sum &+ a, difference &+ b, difference &- b, sum &- a]
        let odd = [
            weighed(c, 11363, 9633, 6437, 2260), weighed(c, 9633, -2259, -11362, -6436),
            weighed(c, 6437, -11362, 2261, 9633), weighed(c, 2260, -6436, 9633, -11363),
        ]
        let first = (0..<4).map { descaled(even[$0] &+ odd[$0], bits, offset) }
        return first + (0..<4).reversed().map { descaled(even[$0] &- odd[$0], bits, offset) }
    }

    private static func four(_ c: [Eight], _ bits: Int32, _ offset: Int32) -> [Eight] {
        let a = c[2] &* 15137 &- c[6] &* 6270
        let (sum, difference) = ((c[0] &<< 14) &+ a, (c[0] &<< 14) &- a)
        let outer = weighed(c, 20995, 7373, -4926, -4176)
        let inner = weighed(c, 8697, -17799, 11893, -1730)
        return [sum &+ outer, difference &+ inner, difference &- inner, sum &- outer]
            .map { descaled($0, bits, offset) }
    }

    private static func two(_ c: [Eight], _ bits: Int32, _ offset: Int32) -> [Eight] {
        let (even, odd) = (c[0] &<< 15, weighed(c, 29692, -10426, 6967, -5906))
        return [even &+ odd, even &- odd].map { descaled($0, bits, offset) }
    }

    /// The contribution of the odd frequencies 1, 3, 5, 7.
    private static func weighed(_ c: [Eight], _ w1: Int32, _ w3: Int32, _ w5: Int32, _ w7: Int32) -> Eight {
        c[1] &* w1 &+ c[3] &* w3 &+ (c[5] &* w5 &+ c[7] &* w7)
    }

    private static func descaled(_ value: Eight, _ bits: Int32, _ offset: Int32) -> Eight {
        (value &+ ((1 &<< (bits - 1)) &+ (offset &<< bits))) &>> Eight(repeating: bits)
    }

    private static func saturated(_ value: Eight) -> Eight {
        value.clamped(lowerBound: Eight(repeating: -32768), upperBound: Eight(repeating: 32767))
    }

    private static func load(_ block: UnsafeMutablePointer<Int16>) -> [Eight] {
        let rows = (0..<8).map { row in
            Eight(truncatingIfNeeded: UnsafeRawPointer(block + 8 * row).loadUnaligned(as: SIMD8<Int16>.self))
        }
        block.update(repeating: 0, count: 64)
        return rows
    }

    /// The columns of these rows; missing rows count as 0.
    private static func transposed(_ rows: [Eight]) -> [Eight] {
        (0..<8).map { x in
            var column = Eight()
            for (y, row) in rows.enumerated() { column[y] = row[x] }
            return column
        }
    }
}
