// SPDX-License-Identifier: Apache-2.0
//
// Tables indexed by the next 11 bits: one look-up covers several complete symbols, as far as they fit. `differences` is a
// table of DC coefficients for the reader of coefficients. Its entries are those of `words`, and in those that contain a number:
//
//     bit 6       the end of the block follows
//     bits 8…11   the number of bits to take, the end included
//
// `pairs` has AC symbols for the same reader:
//
//     bits 0…3    the number of bits to take; 0: the first symbol does not fit, and must be looked up by itself
//     bit 4       the end of the block follows them
//     bit 5       there is a second coefficient
//     bits 6…9    the first coefficient's run
//     bits 10…13  the second coefficient's run
//     bits 14…19  the second coefficient, signed; 0 if there is none
//     bits 20…31  the first coefficient, signed; 0: the block ends
//
// `skips` serves the reader that skips AC coefficients, and `firstSkips` one that needs the block's first coefficient
// as well:
//
//     bits 0…5    the number of bits to take
//     bits 6…12   the number of places that they advance in the block; 64: not even one symbol fits
//     bit 15      they end the block
//     bits 16…31  the difference of the first coefficient, signed; 0 if there is none

extension HuffmanTable {
    static let end: UInt32 = 1 << 15
    static let endFollows: UInt32 = 1 << 6

    @inline(__always)
    static func advance(of entry: UInt32) -> Int { Int(truncatingIfNeeded: entry &>> 6 & 127) }

    static func entry(taking bits: Int, advance: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: bits | advance << 6)
    }

    /// - Parameters:
    ///   - words: a table of DC coefficients.
    ///   - entries: the look-up entries of a table of AC coefficients, from the beginning of `words`.
    static func differences(_ words: [UInt32], before entries: [UInt32]) -> [UInt32] {
        words.enumerated().map { bits, entry in
            guard bits < 1 << lookUpBits, entry & 32 != 0,
                let end = symbol(behind: Int(entry & 31), of: bits, entries), end.number == 0, end.run == 0
            else { return entry }
            return entry | endFollows | UInt32(truncatingIfNeeded: Int(entry & 31) + end.length) << 8
        }
    }

    /// - Parameter entries: the look-up entries of a table of AC coefficients, from the beginning of `words`.
    static func skips(of entries: [UInt32]) -> [UInt32] {
        (0..<1 << lookUpBits).map { skip(behind: 0, of: $0, entries) ?? entry(taking: 0, advance: 64) }
    }

    /// - Parameters:
    ///   - differences: the look-up entries of a table of DC coefficients, from the beginning of `words`.
    ///   - entries: the same of a table of AC coefficients.
    static func firstSkips(of differences: [UInt32], _ entries: [UInt32]) -> [UInt32] {
        (0..<1 << lookUpBits).map { bits in
            let first = differences[bits]
            guard first & 32 != 0 else { return entry(taking: 0, advance: 64) }
            let taken = Int(first & 31)
            let others = skip(behind: taken, of: bits, entries) ?? entry(taking: taken, advance: 0)
            return first & 0xFFFF_0000 | others &+ entry(taking: 0, advance: 1)
        }
    }

    /// Nil if not even one symbol fits.
    private static func skip(behind start: Int, of bits: Int, _ entries: [UInt32]) -> UInt32? {
        var (taken, advance, ends) = (start, 0, false)
        // No block has more than 64; an advance beyond that is looked up by itself and refused.
        while !ends, advance < 64, let (length, run, number) = symbol(behind: taken, of: bits, entries) {
            taken += length
            ends = number == 0 && run == 0
            if !ends { advance += run + 1 }
        }
        return taken > start ? entry(taking: taken, advance: advance) | (ends ? end : 0) : nil
    }

    /// - Parameter entries: as in `skips`.
    static func pairs(of entries: [UInt32]) -> [UInt32] {
        (0..<1 << lookUpBits).map { bits in
            guard let first = symbol(behind: 0, of: bits, entries), first.number != 0 || first.run == 0 else {
                return 0
            }
            var entry = first.length | first.run << 6 | (first.number & 0xFFF) << 20
            if first.number == 0 { return UInt32(truncatingIfNeeded: entry | 1 << 4) }
            guard let second = symbol(behind: first.length, of: bits, entries) else {
                return UInt32(truncatingIfNeeded: entry)
            }
            if second.number != 0, (-32..<32).contains(second.number) {
                entry += second.length | 1 << 5 | second.run << 10 | (second.number & 0x3F) << 14
                if let third = symbol(behind: entry & 15, of: bits, entries), third.number == 0,
                    third.run == 0
                {
                    entry += third.length | 1 << 4
                }
            } else if second.number == 0, second.run == 0 {
                entry += second.length | 1 << 4
            }
            return UInt32(truncatingIfNeeded: entry)
        }
    }

    /// A symbol that is complete within the bits of a look-up. For the end of a block, run and number are 0.
    private static func symbol(
        behind taken: Int, of bits: Int, _ entries: [UInt32]
    ) -> (length: Int, run: Int, number: Int)? {
        let entry = Int(Int32(bitPattern: entries[bits << taken & (1 << lookUpBits - 1)]))
        let (length, run, size) = (entry & 31, entry >> 8 & 15, entry >> 12 & 15)
        // Of the symbols without a number, only the end of a block and 16 zeros (run 15) may occur.
        guard length > 0, taken + length <= lookUpBits, size == 0 ? run == 0 || run == 15 : entry & 32 != 0
        else { return nil }
        return (length, run, size == 0 ? 0 : entry >> 16)
    }
}
