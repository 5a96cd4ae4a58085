// SPDX-License-Identifier: Apache-2.0
//
// A table by the next 11 bits for AC coefficients: several whole symbols in one look-up, as far as they fit. `pairs` is
// for the reader of coefficients:
//
//     bits 0…3    how many bits to take; 0: the first symbol is no such one, and is to be looked up by itself
//     bit 4       the end of the block is behind them
//     bit 5       there is a second coefficient
//     bits 6…9    the first one's run
//     bits 10…13  the second one's
//     bits 14…19  the second one, signed; without one 0
//     bits 20…31  the first one, signed; 0: the block ends
//
// `skips` is for who wants to get past them, and `firstSkips` for who wants the block's first coefficient as well:
//
//     bits 0…5    how many bits to take
//     bits 6…12   how far they go on in the block; 64: not even one symbol fits
//     bit 15      they end it
//     bits 16…31  the difference of the first coefficient, signed; without one 0

extension HuffmanTable {
    static let end: UInt32 = 1 << 15

    @inline(__always)
    static func advance(of entry: UInt32) -> Int { Int(truncatingIfNeeded: entry &>> 6 & 127) }

    static func entry(taking bits: Int, advance: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: bits | advance << 6)
    }

    /// - Parameter entries: of a table of AC coefficients, as `words` begin with.
    static func skips(of entries: [UInt32]) -> [UInt32] {
        (0..<1 << lookUpBits).map { skip(behind: 0, of: $0, entries) ?? entry(taking: 0, advance: 64) }
    }

    /// - Parameters:
    ///   - differences: of a table of DC coefficients, as `words` begin with.
    ///   - entries: as above.
    static func firstSkips(of differences: [UInt32], _ entries: [UInt32]) -> [UInt32] {
        (0..<1 << lookUpBits).map { bits in
            let first = differences[bits]
            guard first & 32 != 0 else { return entry(taking: 0, advance: 64) }
            let taken = Int(first & 31)
            let others = skip(behind: taken, of: bits, entries) ?? entry(taking: taken, advance: 0)
            return first & 0xFFFF_0000 | others &+ entry(taking: 0, advance: 1)
        }
    }

    /// Nil: not even one symbol fits.
    private static func skip(behind start: Int, of bits: Int, _ entries: [UInt32]) -> UInt32? {
        var (taken, advance, ends) = (start, 0, false)
        // No block has so many; what goes farther is looked up by itself, and found to be odd.
        while !ends, advance < 64, let (length, run, number) = symbol(behind: taken, of: bits, entries) {
            taken += length
            ends = number == 0 && run == 0
            if !ends { advance += run + 1 }
        }
        return taken > start ? entry(taking: taken, advance: advance) | (ends ? end : 0) : nil
    }

    /// - Parameter entries: as above.
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

    /// A symbol that is whole within the bits of a look-up; of the end of a block, run and number are 0.
    private static func symbol(
        behind taken: Int, of bits: Int, _ entries: [UInt32]
    ) -> (length: Int, run: Int, number: Int)? {
        let entry = Int(Int32(bitPattern: entries[bits << taken & (1 << lookUpBits - 1)]))
        let (length, run, size) = (entry & 31, entry >> 8 & 15, entry >> 12 & 15)
        // Of those without a number, 15 zeros and one more may stand in a block.
        guard length > 0, taken + length <= lookUpBits, size == 0 ? run == 0 || run == 15 : entry & 32 != 0
        else { return nil }
        return (length, run, size == 0 ? 0 : entry >> 16)
    }
}
