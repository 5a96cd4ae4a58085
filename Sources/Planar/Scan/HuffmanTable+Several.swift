// SPDX-License-Identifier: Apache-2.0
//
// Tables indexed by the next 11 bits: one look-up covers several complete symbols, as far as they fit. `pairs` has AC symbols
// for the reader of coefficients, and `firstPairs` the block's first coefficient before one of them:
//
//     bits 0…3    the number of bits to take; 0: the first symbol does not fit, and must be looked up by itself
//     bits 4…7    the first coefficient's run
//     bits 8…11   the number of places from the first coefficient to the second; 0: there is no second
//     bits 12…18  the second coefficient, signed; 0 if there is none
//     bits 19…30  the first coefficient, signed; 0 if there is none, but only the end of the block
//     bit 31      0: the end of the block follows them
//
// Of a block that becomes one sample only the first coefficient is needed. `passes` and `firstPasses` have entries of the same
// form, which advance over all other symbols that are complete. They are made of `skips` and `firstSkips`:
//
//     bits 0…5    the number of bits to take
//     bits 6…12   the number of places that they advance in the block; 64: not even one symbol fits
//     bit 15      they end the block
//     bits 16…31  the difference of the first coefficient, signed; 0 if there is none

extension HuffmanTable {
    static let end: UInt32 = 1 << 15
    static let goesOn: UInt32 = 1 << 31

    /// The number of places to the first coefficient of an entry of `pairs`.
    @inline(__always)
    static func first(of entry: UInt32) -> Int { Int(truncatingIfNeeded: entry &>> 4 & 15) }

    /// The number of places from the first to the second.
    @inline(__always)
    static func second(of entry: UInt32) -> Int { Int(truncatingIfNeeded: entry &>> 8 & 15) }

    @inline(__always)
    static func firstNumber(of entry: UInt32) -> Int32 { Int32(bitPattern: entry &<< 1) &>> 20 }

    @inline(__always)
    static func secondNumber(of entry: UInt32) -> Int32 { Int32(bitPattern: entry &<< 13) &>> 25 }

    @inline(__always)
    static func advance(of entry: UInt32) -> Int { Int(truncatingIfNeeded: entry &>> 6 & 127) }

    static func entry(taking bits: Int, advance: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: bits | advance << 6)
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
            if first.number == 0 { return UInt32(truncatingIfNeeded: first.length) }
            return pair(first.length | first.run << 4 | (first.number & 0xFFF) << 19, of: bits, entries)
        }
    }

    /// - Parameters: as in `firstSkips`.
    static func firstPairs(of differences: [UInt32], _ entries: [UInt32]) -> [UInt32] {
        (0..<1 << lookUpBits).map { bits in
            let first = Int(Int32(bitPattern: differences[bits]))
            guard first & 32 != 0 else { return 0 }
            return pair(first & 31 | (first >> 16 & 0xFFF) << 19, of: bits, entries)
        }
    }

    /// - Parameter first: an entry for the first coefficient alone.
    private static func pair(_ first: Int, of bits: Int, _ entries: [UInt32]) -> UInt32 {
        var (entry, ends) = (first, false)
        if let second = symbol(behind: entry & 15, of: bits, entries) {
            if second.number != 0, second.run < 15, (-64..<64).contains(second.number) {
                entry += second.length | (second.run + 1) << 8 | (second.number & 0x7F) << 12
                if let third = symbol(behind: entry & 15, of: bits, entries), third.number == 0,
                    third.run == 0
                {
                    (entry, ends) = (entry + third.length, true)
                }
            } else if second.number == 0, second.run == 0 {
                (entry, ends) = (entry + second.length, true)
            }
        }
        return UInt32(truncatingIfNeeded: entry) | (ends ? 0 : goesOn)
    }

    /// - Parameter skips: entries of `skips` or `firstSkips`.
    static func passes(of skips: [UInt32], isFirst: Bool) -> [UInt32] {
        skips.map { skip in
            // The last place that is passed is that of the second coefficient.
            let (taken, last) = (Int(skip & 63), max(0, advance(of: skip) - 1))
            // Rarely more than there is room for: the symbols are then read one by one.
            guard taken > 0, last <= (isFirst ? 15 : 30) else { return 0 }
            let run = isFirst ? 0 : min(last, 15)
            let number = Int(Int32(bitPattern: skip) >> 16)
            let entry = taken | run << 4 | (last - run) << 8 | (number & 0xFFF) << 19
            return UInt32(truncatingIfNeeded: entry) | (skip & end != 0 ? 0 : goesOn)
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
